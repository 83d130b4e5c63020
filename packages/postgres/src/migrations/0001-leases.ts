/**
 * Leases: one holder, a queue, and fences that only grow. The database's clock alone decides what has expired. Every
 * function first locks the row of its resource and settles expired leases.
 */
export const leases = (schema: string): string => `${tables(schema)}

${requests(schema)}`;

const tables = (schema: string): string => `
create table ${schema}.lease (
  resource text collate "C" primary key, fence bigint not null default 0, holder text, granted_at bigint,
  expires_at bigint, ends_at bigint, held_ms bigint[] not null default '{}', released_fence bigint
);
create table ${schema}.lease_queue (
  place bigint generated always as identity primary key, resource text collate "C" not null, holder text not null,
  ttl_ms bigint not null, max_hold_ms bigint not null, unique (resource, holder)
);

create function ${schema}.now_ms() returns bigint language sql volatile as $$
  select (extract(epoch from clock_timestamp()) * 1000)::bigint
$$;

create function ${schema}.lease_json(l ${schema}.lease) returns jsonb language sql immutable as $$
  select case when l.holder is null then null else jsonb_build_object(
    'resource', l.resource, 'holder', l.holder, 'fence', l.fence,
    'grantedAt', l.granted_at, 'expiresAt', l.expires_at, 'endsAt', l.ends_at
  ) end
$$;

create function ${schema}.lease_grant(p_resource text, p_holder text, p_ttl bigint, p_max bigint, p_at bigint)
returns ${schema}.lease language sql as $$
  update ${schema}.lease
    set fence = fence + 1, holder = p_holder, granted_at = p_at, ends_at = p_at + p_max,
      expires_at = p_at + least(p_ttl, p_max)
    where resource = p_resource returning *
$$;

create function ${schema}.lease_end(p_resource text, p_at bigint) returns ${schema}.lease language plpgsql as $$
declare l ${schema}.lease; waiting ${schema}.lease_queue;
begin
  update ${schema}.lease
    set holder = null,
      held_ms = (held_ms || greatest(0, p_at - granted_at))[greatest(1, cardinality(held_ms) - 18):]
    where resource = p_resource returning * into l;
  delete from ${schema}.lease_queue
    where place = (select min(place) from ${schema}.lease_queue where resource = p_resource)
    returning * into waiting;
  if found then
    l := ${schema}.lease_grant(p_resource, waiting.holder, waiting.ttl_ms, waiting.max_hold_ms, p_at);
  end if;
  return l;
end $$;

create function ${schema}.lease_settle(p_resource text) returns ${schema}.lease language plpgsql as $$
declare l ${schema}.lease;
begin
  select * into l from ${schema}.lease where resource = p_resource for update;
  if not found then
    insert into ${schema}.lease (resource) values (p_resource) on conflict do nothing;
    select * into l from ${schema}.lease where resource = p_resource for update;
  end if;
  while l.holder is not null and l.expires_at <= ${schema}.now_ms() loop
    l := ${schema}.lease_end(p_resource, l.expires_at);
  end loop;
  return l;
end $$;`;

const requests = (schema: string): string => `create function ${schema}.lease_acquire(
  p_resource text, p_holder text, p_ttl bigint, p_max bigint, p_take_over boolean, p_max_queue integer
) returns jsonb language plpgsql as $$
declare
  l ${schema}.lease := ${schema}.lease_settle(p_resource);
  now bigint := ${schema}.now_ms();
  mine bigint; ahead bigint; usual numeric;
begin
  if l.holder is null then
    l := ${schema}.lease_grant(p_resource, p_holder, p_ttl, p_max, now);
    return jsonb_build_object('status', 'granted', 'lease', ${schema}.lease_json(l));
  end if;
  if l.holder = p_holder then
    update ${schema}.lease
      set fence = fence + p_take_over::integer, expires_at = least(now + p_ttl, ends_at)
      where resource = p_resource returning * into l;
    return jsonb_build_object('status', 'granted', 'lease', ${schema}.lease_json(l));
  end if;
  select place into mine from ${schema}.lease_queue where resource = p_resource and holder = p_holder;
  select count(*) into ahead from ${schema}.lease_queue where resource = p_resource and (mine is null or place < mine);
  if mine is null then
    if ahead >= p_max_queue then
      return jsonb_build_object('status', 'refused', 'holder', l.holder, 'queued', ahead);
    end if;
    insert into ${schema}.lease_queue (resource, holder, ttl_ms, max_hold_ms)
      values (p_resource, p_holder, p_ttl, p_max);
  end if;
  select coalesce(avg(ms), l.ends_at - l.granted_at) into usual from unnest(l.held_ms) as held (ms);
  return jsonb_build_object('status', 'queued', 'position', ahead + 1, 'holder', l.holder,
    'estimateMs', round(greatest(0, usual - (now - l.granted_at)) + ahead * usual));
end $$;

create function ${schema}.lease_renew(p_resource text, p_holder text, p_fence bigint, p_ttl bigint)
returns jsonb language plpgsql as $$
declare l ${schema}.lease := ${schema}.lease_settle(p_resource);
begin
  if l.holder is distinct from p_holder or l.fence <> p_fence then return null; end if;
  update ${schema}.lease set expires_at = least(${schema}.now_ms() + p_ttl, ends_at)
    where resource = p_resource returning * into l;
  return ${schema}.lease_json(l);
end $$;

create function ${schema}.lease_release(p_resource text, p_holder text, p_fence bigint, p_uncertain boolean)
returns boolean language plpgsql as $$
declare l ${schema}.lease := ${schema}.lease_settle(p_resource);
begin
  if l.holder is distinct from p_holder or l.fence <> p_fence then
    return p_uncertain and l.released_fence is not distinct from p_fence;
  end if;
  update ${schema}.lease set released_fence = p_fence where resource = p_resource;
  perform ${schema}.lease_end(p_resource, ${schema}.now_ms());
  return true;
end $$;

create function ${schema}.lease_withdraw(p_resource text, p_holder text) returns boolean language plpgsql as $$
begin
  perform ${schema}.lease_settle(p_resource);
  delete from ${schema}.lease_queue where resource = p_resource and holder = p_holder;
  return found;
end $$;

create function ${schema}.lease_force(p_resource text) returns boolean language plpgsql as $$
declare l ${schema}.lease := ${schema}.lease_settle(p_resource);
begin
  if l.holder is null then return false; end if;
  perform ${schema}.lease_end(p_resource, ${schema}.now_ms());
  return true;
end $$;

create function ${schema}.lease_status(p_resource text) returns jsonb language plpgsql as $$
declare l ${schema}.lease := ${schema}.lease_settle(p_resource);
begin
  return jsonb_build_object('lease', ${schema}.lease_json(l),
    'queue', (
      select coalesce(jsonb_agg(holder order by place), '[]') from ${schema}.lease_queue where resource = p_resource
    ));
end $$;
`;
