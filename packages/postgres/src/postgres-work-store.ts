import type { AuditComment, Claim, HookMessage, ItemQuery, PhaseAdvance, Review, Verdict, WorkChange, WorkItem, WorkStore } from "@phasekit/contracts";
import { randomUUID } from "node:crypto";
import { type DatabaseOptions, guardPool, type Pool, quotedSchema } from "./database.ts";
import { withPatience } from "./patience.ts";

/** What is open about an item; the database counts it. */
const HAVING = { "open-claim": "open_claims > 0", revision: "revision_since is not null", "open-review": "open_reviews > 0" } as const;

/**
 * Keeps work items in PostgreSQL, for any number of workers on any number of machines. A change is one call: it happens
 * whole or not at all, at most once, and only on the version it saw. When the connection breaks in the middle, the store
 * finds out by reading whether it happened. Run `migrate` first.
 *
 * @example
 * const store = postgresWorkStore(pool);
 * await processClaims(store, { contracts });
 */
export function postgresWorkStore(pool: Pool, { schema: name, patienceMs = 30_000 }: DatabaseOptions = {}): WorkStore {
  const schema = quotedSchema(name);
  guardPool(pool);
  const patient = <T>(ask: (isUncertain: boolean) => Promise<T>): Promise<T> => withPatience(patienceMs, ask);
  const rows = async (text: string, ...values: unknown[]): Promise<Record<string, unknown>[]> => (await pool.query({ text, values })).rows;
  const bodies = async <T>(text: string, ...values: unknown[]): Promise<T[]> => (await patient(() => rows(text, ...values))).map(({ body }) => JSON.parse(String(body)) as T);

  const COMMIT = `select ${schema}.commit_change($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21) as done`;

  async function commit(change: WorkChange): Promise<boolean> {
    const id = randomUUID();
    const values = changeToValues(change, id);
    return patient(async (isUncertain) => {
      const [row] = (await pool.query({ name: `${schema}-commit`, text: COMMIT, values })).rows;
      if (row?.["done"] === true) return true;
      // The connection broke before: the version that is there now may be the one this very change made.
      return isUncertain && (await rows(`select from ${schema}.change where item_id = $1 and version = $2 and id = $3`, change.item.id, change.item.version, id)).length === 1;
    });
  }

  async function create(item: WorkItem): Promise<boolean> {
    const { id, version, phase, status, revisionSince } = item;
    const body = JSON.stringify(item);
    return patient(async (isUncertain) => {
      const made = await rows(`insert into ${schema}.item (id, version, phase, status, revision_since, body) values ($1, $2, $3, $4, $5, $6) on conflict (id) do nothing returning id`, id, version, phase, status, revisionSince, body);
      if (made.length === 1) return true;
      return isUncertain && (await rows(`select from ${schema}.item where id = $1 and body = $2`, id, body)).length === 1;
    });
  }

  async function list({ phase, status, having, after = "", limit = 1000 }: ItemQuery = {}): Promise<readonly string[]> {
    const found = await patient(() =>
      rows(
        `select id from ${schema}.item where id > $1 and ($2::text is null or phase = $2) and ($3::text is null or status = $3)${having === undefined ? "" : ` and ${HAVING[having]}`} order by id limit $4`,
        after, phase ?? null, status ?? null, limit,
      ),
    );
    return found.map(({ id }) => String(id));
  }

  return {
    create,
    commit,
    list,
    load: async (itemId) => {
      // One statement sees one moment.
      const found = await patient(() =>
        rows(
          `select 'item' as kind, 0::bigint as place, body from ${schema}.item where id = $1
           union all select kind, place, body from ${schema}.finding where item_id = $1 order by place`,
          itemId,
        ),
      );
      const of = <T>(kind: string): T[] => found.filter((row) => row["kind"] === kind).map(({ body }) => JSON.parse(String(body)) as T);
      const [item] = of<WorkItem>("item");
      return item === undefined ? undefined : { item, claims: of<Claim>("claim"), verdicts: of<Verdict>("verdict"), reviews: of<Review>("review") };
    },
    findClaim: async (key) => (await bodies<Claim>(`select body from ${schema}.finding where kind = 'claim' and id = (select claim_id from ${schema}.claim_key where idempotency_key = $1)`, key))[0],
    findReview: async (id) => {
      const [row] = await patient(() => rows(`select item_id from ${schema}.finding where kind = 'review' and id = $1`, id));
      return row === undefined ? undefined : { itemId: String(row["item_id"]) };
    },
    readSnapshot: async (hash) => (await bodies<string>(`select text as body from ${schema}.snapshot where hash = $1`, hash))[0],
    history: async (itemId) => {
      const found = await patient(() =>
        rows(
          `select 'advance' as kind, entry as place, body from ${schema}.advance where item_id = $1
           union all select 'comment', place, body from ${schema}.comment where item_id = $1 order by place`,
          itemId,
        ),
      );
      const of = <T>(kind: string): T[] => found.filter((row) => row["kind"] === kind).map(({ body }) => JSON.parse(String(body)) as T);
      return { advances: of<PhaseAdvance>("advance"), comments: of<AuditComment>("comment") };
    },
    takeHooks: async ({ now, leaseMs, limit }) => {
      const taken = await patient(() =>
        rows(
          `update ${schema}.outbox set attempts = attempts + 1, due_at = $1::bigint + $2::bigint where place in (
             select place from ${schema}.outbox as one where state = 'waiting' and due_at <= $1
               and not exists (select from ${schema}.outbox as before where before.item_id = one.item_id and before.state = 'waiting' and before.place < one.place)
             order by place limit $3 for update skip locked)
           returning place, body, attempts`,
          now, leaseMs, limit,
        ),
      );
      return taken.toSorted((one, other) => Number(one["place"]) - Number(other["place"])).map(({ body, attempts }) => ({ ...(JSON.parse(String(body)) as HookMessage), attempts: Number(attempts) - 1 }));
    },
    settleHook: async (id, settlement) => {
      const [state, dueAt, error] = settlement.delivered ? ["done", null, null] : "parked" in settlement ? ["parked", null, settlement.error] : ["waiting", settlement.retryAt, settlement.error];
      await patient(() => rows(`update ${schema}.outbox set state = $2, due_at = coalesce($3::bigint, due_at), error = $4 where id = $1 and state = 'waiting'`, id, state, dueAt, error?.replaceAll("\0", "\ufffd") ?? null));
    },
  };
}

function changeToValues({ item, expectedVersion, claims = [], verdicts = [], reviews = [], advance, comments = [], hooks = [], snapshots = [] }: WorkChange, change: string): unknown[] {
  const findings = [
    ...claims.map((claim) => ({ kind: "claim", id: claim.id, key: claim.idempotency_key, isOpen: !claim.processed, body: claim })),
    ...verdicts.map((verdict) => ({ kind: "verdict", id: verdict.id, key: null, isOpen: false, body: verdict })),
    ...reviews.map((review) => ({ kind: "review", id: review.id, key: null, isOpen: review.state === "open" || review.state === "person", body: review })),
  ];
  return [
    item.id, expectedVersion, item.version, item.phase, item.status, item.revisionSince, JSON.stringify(item), change,
    findings.map(({ kind }) => kind), findings.map(({ id }) => id), findings.map(({ key }) => key), findings.map(({ isOpen }) => isOpen), findings.map(({ body }) => JSON.stringify(body)),
    advance?.entry ?? null, advance?.claimId ?? null, advance === undefined ? null : JSON.stringify(advance),
    comments.map((comment) => JSON.stringify(comment)),
    hooks.map(({ id }) => id), hooks.map((hook) => JSON.stringify(hook)),
    // A text may hold what PostgreSQL does not take; its JSON does not.
    snapshots.map(({ hash }) => hash), snapshots.map(({ text }) => JSON.stringify(text)),
  ];
}
