import type { Migration } from "../migrate.ts";
import { leases } from "./0001-leases.ts";

/**
 * Runs, work and leases. Keys that must never repeat are the database's own: a mistake in our logic is then an error and
 * not a double step. Bodies are text: `jsonb` refuses some texts, and gives back others changed.
 */
export const initial: Migration = {
  version: 1,
  name: "initial",
  sql: (schema) => `
create table ${schema}.run (
  id text collate "C" primary key, ends_at bigint not null, started_at bigint not null, item text, parent text,
  summary text, summary_at bigint
);
create index run_by_start on ${schema}.run (started_at desc, id desc);
create table ${schema}.event (
  run text collate "C" not null, seq bigint not null, type text not null, body text not null,
  tx xid8 not null default pg_current_xact_id(), position bigint generated always as identity, primary key (run, seq)
);
create index event_by_commit on ${schema}.event (tx, position);
create table ${schema}.subscription (
  name text primary key, tx xid8 not null, position bigint not null, fence bigint not null default 0
);

create table ${schema}.item (
  id text collate "C" primary key, version bigint not null, phase text not null, status text not null,
  revision_since text, open_claims integer not null default 0, open_reviews integer not null default 0, body text not null
);
create index item_open_claims on ${schema}.item (id) where open_claims > 0;
create index item_open_reviews on ${schema}.item (id) where open_reviews > 0;
create index item_revision on ${schema}.item (id) where revision_since is not null;
create table ${schema}.finding (
  kind text not null check (kind in ('claim', 'verdict', 'review')), id text not null, item_id text collate "C" not null,
  place bigint generated always as identity, is_open boolean not null, body text not null, primary key (kind, id)
);
create index finding_by_item on ${schema}.finding (item_id, kind, place);
create table ${schema}.claim_key (idempotency_key text primary key, claim_id text not null unique);
create table ${schema}.change (item_id text collate "C" not null, version bigint not null, id uuid not null, primary key (item_id, version));
create table ${schema}.advance (
  item_id text collate "C" not null, entry bigint not null, claim_id text not null unique, body text not null,
  primary key (item_id, entry)
);
create table ${schema}.comment (place bigint generated always as identity primary key, item_id text collate "C" not null, body text not null);
create index comment_by_item on ${schema}.comment (item_id, place);
create table ${schema}.outbox (
  place bigint generated always as identity primary key, id text not null unique, item_id text collate "C" not null,
  body text not null, attempts integer not null default 0, due_at bigint not null default 0,
  state text not null default 'waiting' check (state in ('waiting', 'done', 'parked')), error text
);
create index outbox_waiting on ${schema}.outbox (item_id, place) where state = 'waiting';
create table ${schema}.snapshot (hash text primary key, text text not null);

create function ${schema}.commit_change(
  p_item text, p_expected bigint, p_version bigint, p_phase text, p_status text, p_revision_since text, p_body text, p_change uuid,
  p_kinds text[], p_ids text[], p_keys text[], p_open boolean[], p_bodies text[],
  p_entry bigint, p_claim text, p_advance text, p_comments text[], p_hook_ids text[], p_hooks text[], p_hashes text[], p_texts text[]
) returns boolean language plpgsql as $$
begin
  update ${schema}.item set version = p_version, phase = p_phase, status = p_status, revision_since = p_revision_since, body = p_body
    where id = p_item and version = p_expected;
  if not found then return false; end if;
  insert into ${schema}.change (item_id, version, id) values (p_item, p_version, p_change);
  if cardinality(p_ids) > 0 then
    insert into ${schema}.claim_key (idempotency_key, claim_id)
      select key, id from unnest(p_ids, p_keys) with ordinality as given (id, key, place) where key is not null order by place
      on conflict (claim_id) do nothing;
    insert into ${schema}.finding (kind, id, item_id, is_open, body)
      select kind, id, p_item, is_open, body from unnest(p_kinds, p_ids, p_open, p_bodies) with ordinality as given (kind, id, is_open, body, place) order by place
      on conflict (kind, id) do update set is_open = excluded.is_open, body = excluded.body;
    update ${schema}.item set
      open_claims = (select count(*) from ${schema}.finding where item_id = p_item and kind = 'claim' and is_open),
      open_reviews = (select count(*) from ${schema}.finding where item_id = p_item and kind = 'review' and is_open)
      where id = p_item;
  end if;
  if p_claim is not null then
    insert into ${schema}.advance (item_id, entry, claim_id, body) values (p_item, p_entry, p_claim, p_advance);
  end if;
  insert into ${schema}.comment (item_id, body) select p_item, body from unnest(p_comments) with ordinality as given (body, place) order by place;
  insert into ${schema}.outbox (id, item_id, body)
    select id, p_item, body from unnest(p_hook_ids, p_hooks) with ordinality as given (id, body, place) order by place;
  insert into ${schema}.snapshot (hash, text) select hash, text from unnest(p_hashes, p_texts) as given (hash, text) on conflict do nothing;
  return true;
exception
  -- A key that must not repeat did: nothing of the change stays, and the caller reads again to find out what happened.
  when unique_violation then return false;
end $$;
${leases(schema)}`,
};
