import type { Migration } from "../migrate.ts";

/**
 * Leases of items and messages, by the database's clock alone. A lease is on the item's own row: `for update skip
 * locked` hands every worker other rows, and no worker waits. The columns are in no index, so a lease changes none.
 *
 * A lease that a crash of the server loses is granted again, so taking and releasing do not wait for the disk.
 */
export const workLeases: Migration = {
  version: 2,
  name: "work-leases",
  sql: (schema) => `
alter table ${schema}.item
  add column lease uuid, add column lease_for text, add column lease_until bigint not null default 0,
  -- An item with \`rests\` has no holder: workers leave it alone at this version.
  add column rests bigint;
-- Room for the next version of a row on its own page.
alter table ${schema}.item set (fillfactor = 80);
create index outbox_by_place on ${schema}.outbox (place) where state = 'waiting';

-- True if a worker may take an item. The same token again is the same question again: its answer was lost.
create function ${schema}.is_free(i ${schema}.item, p_token uuid, p_for text, p_now bigint) returns boolean
language sql immutable as $$
  select i.lease_until <= p_now or i.lease is not distinct from p_token
    or (i.rests is not null and (i.rests <> i.version or i.lease_for <> p_for))
$$;

-- Walks along the index of open work until it has enough. A join could be planned another way, from all items, and take
-- longer with every item there is. The items are read after they were leased, by a statement of its own, which sees
-- what was committed before it began.
create function ${schema}.take_items(p_token uuid, p_for text, p_after text, p_lease_ms bigint, p_limit integer)
returns table (kind text, item_id text, place bigint, body text, taken_at bigint)
language plpgsql set plan_cache_mode = force_generic_plan set enable_bitmapscan = off set enable_sort = off as $$
declare now bigint := ${schema}.now_ms(); taken text[] := '{}'; candidate text; before text;
begin
  perform set_config('synchronous_commit', 'off', true);
  if p_for = 'open-claim' then
    for candidate in
      select f.item_id from ${schema}.finding f
      where f.kind = 'claim' and f.is_open and f.item_id > p_after
        and (select ${schema}.is_free(i, p_token, p_for, now) from ${schema}.item i where i.id = f.item_id)
      order by f.item_id
    loop
      continue when candidate = before;
      before := candidate;
      perform from ${schema}.item i
        where i.id = candidate and ${schema}.is_free(i, p_token, p_for, now) for update skip locked;
      if found then taken := taken || candidate; end if;
      exit when cardinality(taken) >= p_limit;
    end loop;
  else
    taken := array(
      select i.id from ${schema}.item i
      where i.revision_since is not null and i.id > p_after and ${schema}.is_free(i, p_token, p_for, now)
      order by i.id limit p_limit for update skip locked);
  end if;
  if taken = '{}' then return; end if;
  update ${schema}.item i set lease = p_token, lease_for = p_for, lease_until = now + p_lease_ms, rests = null
    where i.id = any(taken);
  return query
    select 'item', i.id, 0::bigint, i.body, now from ${schema}.item i where i.id = any(taken)
    union all
    select f.kind, f.item_id, f.place, f.body, now from ${schema}.finding f where f.item_id = any(taken)
    order by 2, 3;
end $$;

create function ${schema}.release_items(p_token uuid, p_ids text[], p_versions bigint[], p_rests bigint[])
returns void language plpgsql as $$
declare now bigint := ${schema}.now_ms();
begin
  perform set_config('synchronous_commit', 'off', true);
  update ${schema}.item i
    set lease = null, lease_until = now + given.rest, rests = case when given.rest > 0 then given.version end
    from unnest(p_ids, p_versions, p_rests) as given (id, version, rest)
    where i.id = given.id and i.lease = p_token;
end $$;
`,
};
