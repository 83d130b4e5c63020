/** Version of the tables below, stored in the file's `user_version`. */
export const SCHEMA_VERSION = 2;

/**
 * Columns of a lease: the holder, the work it is for, and its end. An item with `rests` has no holder; workers leave it
 * alone at this version.
 */
const LEASE = ["lease text", "lease_for text", "lease_until integer not null default 0", "rests integer"];

/** Brings the tables of the version before to the next one; the first entry is for version 1. */
export const UPGRADES: readonly string[] = [LEASE.map((column) => `alter table item add column ${column};`).join(" ")];

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
