import type { Migration } from "../migrate.ts";
import { changes } from "./0001-changes.ts";
import { leases } from "./0001-leases.ts";

/**
 * Runs, work and leases. Keys that must never repeat are the database's own: a mistake in our logic is then an error
 * and
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
  revision_since text, body text not null
);
create index item_revision on ${schema}.item (id) where revision_since is not null;
-- One row for every version of an item: who made it, the advancement it was, and what was said about it.
create table ${schema}.change (
  item_id text collate "C" not null, version bigint not null, id uuid not null, entry bigint, claim_id text collate "C",
  advance text, comments text, primary key (item_id, version)
);
create unique index advance_by_entry on ${schema}.change (item_id, entry) where entry is not null;
create unique index advance_by_claim on ${schema}.change (claim_id) where claim_id is not null;
-- Claims, verdicts and reviews.
create table ${schema}.finding (
  kind text collate "C" not null, id text collate "C" not null, item_id text collate "C" not null,
  idempotency_key text collate "C" unique, place bigint generated always as identity, is_open boolean not null,
  body text not null,
  primary key (kind, id)
);
create index finding_by_item on ${schema}.finding (item_id, place);
create index finding_open on ${schema}.finding (kind, item_id) where is_open;
create table ${schema}.outbox (
  id text collate "C" primary key, place bigint generated always as identity, item_id text collate "C" not null,
  body text not null, attempts integer not null default 0, due_at bigint not null default 0,
  state text not null default 'waiting', error text
);
create index outbox_waiting on ${schema}.outbox (item_id, place) where state = 'waiting';
create table ${schema}.snapshot (hash text collate "C" primary key, text text not null);
create table ${schema}.review_answer (
  run text collate "C" not null, review text collate "C" not null, id uuid not null, body text not null,
  primary key (run, review)
);
${changes(schema)}${leases(schema)}`,
};
