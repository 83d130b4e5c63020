/** Version of the tables below, stored in the file's `user_version`. */
export const SCHEMA_VERSION = 3;

/**
 * Columns of a lease: the holder, the work it is for, and its end. An item with `rests` has no holder; workers leave it
 * alone at this version.
 */
const LEASE = ["lease text", "lease_for text", "lease_until integer not null default 0", "rests integer"];

/**
 * A decided claim had one text for its reason, with the code in front if it was rejected; now code and text are two
 * fields. The way an old claim was accepted was not kept. Messages that wait have the new names, too.
 *
 * Texts are cut as JSON: functions of SQLite stop at a zero character.
 */
const CODE_AND_TEXT = `
update finding set body = json_remove(
  json_set(
    body,
    '$.code', case body ->> '$.outcome'
      when 'rejected' then substr(body -> '$.rejection_reason', 2, instr(body -> '$.rejection_reason', ': ') - 2)
      when 'advanced' then 'unknown'
      else case
        when body -> '$.rejection_reason' like '"Another claim advanced the item: %' then 'superseded'
        when body -> '$.rejection_reason' like '% has completed its last phase."' then 'item_completed'
        when body -> '$.rejection_reason' like '"The claim belongs to an earlier entry of phase %' then 'stale_entry'
        else 'stale_phase' end
      end,
    '$.text', json(case body ->> '$.outcome'
      when 'rejected' then '"' || substr(body -> '$.rejection_reason', instr(body -> '$.rejection_reason', ': ') + 2)
      else coalesce(body -> '$.rejection_reason', '""') end)
  ), '$.rejection_reason')
where kind = 'claim' and body ->> '$.processed' = 1;
update finding set body =
  json_remove(json_set(body, '$.fix', json(body -> '$.fix_instructions')), '$.fix_instructions')
where kind = 'claim' and body -> '$.fix_instructions' is not null;
update outbox set body =
  json_remove(json_set(body, '$.payload.code', body ->> '$.payload.reason'), '$.payload.reason')
where state = 'waiting' and body ->> '$.name' = 'phase_reject';
update outbox set body = json_remove(json_set(body, '$.payload.code', body ->> '$.payload.by'), '$.payload.by')
where state = 'waiting' and body ->> '$.name' = 'phase_advance';
`;

/** Brings the tables of the version before to the next one; the first entry is for version 1. */
export const UPGRADES: readonly string[] = [
  LEASE.map((column) => `alter table item add column ${column};`).join(" "),
  CODE_AND_TEXT,
];

/** The tables. The database itself enforces unique keys, so a bug causes an error and not a second advance. */
export const SCHEMA = `
create table item (
  id text primary key, version integer not null, phase text not null, status text not null,
  revision_since text, open_claims integer not null default 0, open_reviews integer not null default 0,
  body text not null, ${LEASE.join(", ")}
) strict, without rowid;
create index item_open_claims on item (id) where open_claims > 0;
create index item_open_reviews on item (id) where open_reviews > 0;
create index item_revision on item (id) where revision_since is not null;
create table finding (
  kind text not null check (kind in ('claim', 'verdict', 'review')), id text not null,
  item_id text not null references item (id), place integer not null, body text not null, primary key (kind, id)
) strict;
create index finding_by_item on finding (item_id, kind, place);
create table claim_key (
  idempotency_key text primary key, claim_id text not null unique, item_id text not null
) strict, without rowid;
create table advance (
  item_id text not null references item (id), entry integer not null, claim_id text not null unique, body text not null,
  primary key (item_id, entry)
) strict, without rowid;
create table comment (place integer primary key, item_id text not null references item (id), body text not null) strict;
create index comment_by_item on comment (item_id, place);
create table outbox (
  place integer primary key, id text not null unique, item_id text not null references item (id), body text not null,
  attempts integer not null default 0, due_at integer not null default 0, state text not null default 'waiting',
  error text
) strict;
create index outbox_waiting on outbox (item_id, place) where state = 'waiting';
create table snapshot (hash text primary key, text text not null) strict, without rowid;
`;
