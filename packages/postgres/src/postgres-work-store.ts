import type {
  AuditComment,
  Claim,
  HookMessage,
  ItemQuery,
  PhaseAdvance,
  ClaimReview,
  Verdict,
  WorkItem,
  WorkRecord,
  WorkStore,
} from "@phasekit/contracts";
import { randomUUID } from "node:crypto";
import { createAnnouncer } from "./announce-changes.ts";
import { createCommit } from "./commit-changes.ts";
import { type DatabaseOptions, guardPool, type Pool, quotedSchema } from "./database.ts";
import { withPatience } from "./patience.ts";

/** The open parts of an item. */
const HAVING = {
  "open-claim": (schema: string) => `id in (select item_id from ${schema}.finding where kind = 'claim' and is_open)`,
  revision: () => "revision_since is not null",
  "open-review": (schema: string) => `id in (select item_id from ${schema}.finding where kind = 'review' and is_open)`,
} as const;

/**
 * Keeps work items in PostgreSQL, for any number of workers on any number of machines. A change is one call: it happens
 * whole or not at all, at most once, and only on the version it saw; changes made while others are on their way travel
 * together. When the connection breaks in the middle, the store finds out by reading whether it happened. Run `migrate`
 * first.
 *
 * @example
 * const store = createPostgresWorkStore(pool);
 * await createPipeline({ store, contracts }).tick();
 */
export function createPostgresWorkStore(
  pool: Pool,
  { schema: name, patienceMs = 30_000, notifications = true }: DatabaseOptions = {},
): WorkStore {
  const schema = quotedSchema(name);
  guardPool(pool);
  const announce = createAnnouncer(pool, { schema: name, topic: "work", notifications });
  const commit = createCommit(pool, { schema, patienceMs });
  const patient = <T>(ask: (isUncertain: boolean) => Promise<T>): Promise<T> => withPatience(patienceMs, ask);
  const rows = async (text: string, ...values: unknown[]): Promise<Record<string, unknown>[]> =>
    (await pool.query({ text, values })).rows;
  const named = async (name: string, text: string, values: unknown[]): Promise<Record<string, unknown>[]> =>
    (await pool.query({ name: `${schema}-${name}`, text, values })).rows;
  const bodies = async <T>(text: string, ...values: unknown[]): Promise<T[]> =>
    (await patient(() => rows(text, ...values))).map(({ body }) => JSON.parse(String(body)) as T);

  async function create(item: WorkItem): Promise<boolean> {
    const { id, version, phase, status, revisionSince } = item;
    const body = JSON.stringify(item);
    return patient(async (isUncertain) => {
      const made = await rows(
        `insert into ${schema}.item (id, version, phase, status, revision_since, body)
         values ($1, $2, $3, $4, $5, $6) on conflict (id) do nothing returning id`,
        id,
        version,
        phase,
        status,
        revisionSince,
        body,
      );
      if (made.length === 1) return true;
      return (
        isUncertain && (await rows(`select from ${schema}.item where id = $1 and body = $2`, id, body)).length === 1
      );
    });
  }

  async function list({ phase, status, having, after = "", limit = 1000 }: ItemQuery = {}): Promise<readonly string[]> {
    const found = await patient(() =>
      rows(
        `select id from ${schema}.item where id > $1
         and ($2::text is null or phase = $2) and ($3::text is null or status = $3)
         ${having === undefined ? "" : `and ${HAVING[having](schema)}`} order by id limit $4`,
        after,
        phase ?? null,
        status ?? null,
        limit,
      ),
    );
    return found.map(({ id }) => String(id));
  }

  return {
    create,
    commit: async (change) => {
      const done = await commit(change);
      if (done) announce();
      return done;
    },
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
      return toRecord(found);
    },
    findClaim: async (key) =>
      (await bodies<Claim>(`select body from ${schema}.finding where idempotency_key = $1`, key))[0],
    findReview: async (id) => {
      const [row] = await patient(() =>
        rows(`select item_id from ${schema}.finding where kind = 'review' and id = $1`, id),
      );
      return row === undefined ? undefined : { itemId: String(row["item_id"]) };
    },
    readSnapshot: async (hash) =>
      (await bodies<string>(`select text as body from ${schema}.snapshot where hash = $1`, hash))[0],
    history: async (itemId) => {
      const found = await patient(() =>
        rows(
          `select advance, comments from ${schema}.change
           where item_id = $1 and (advance is not null or comments is not null) order by version`,
          itemId,
        ),
      );
      return {
        advances: found.flatMap(({ advance }) =>
          typeof advance === "string" ? [JSON.parse(advance) as PhaseAdvance] : [],
        ),
        comments: found.flatMap(({ comments }) =>
          typeof comments === "string" ? (JSON.parse(comments) as AuditComment[]) : [],
        ),
      };
    },
    takeItems: async ({ having, leaseMs, limit, after = "" }) => {
      const token = randomUUID();
      const found = await patient(() =>
        named("take-items", `select * from ${schema}.take_items($1, $2, $3, $4, $5)`, [
          token,
          having,
          after,
          leaseMs,
          limit,
        ]),
      );
      const rowsByItem = new Map<unknown, Record<string, unknown>[]>();
      for (const row of found) rowsByItem.set(row["item_id"], [...(rowsByItem.get(row["item_id"]) ?? []), row]);
      return {
        token,
        now: Number(found[0]?.["taken_at"] ?? 0),
        records: [...rowsByItem.values()].flatMap((rowsOfItem) => toRecord(rowsOfItem) ?? []),
      };
    },
    releaseItems: async (token, items) => {
      await patient(() =>
        named("release-items", `select ${schema}.release_items($1, $2, $3, $4)`, [
          token,
          items.map(({ id }) => id),
          items.map(({ version }) => version),
          items.map(({ restMs }) => restMs),
        ]),
      );
    },
    takeHooks: async ({ leaseMs, limit }) => {
      const taken = await patient(() =>
        named(
          "take-hooks",
          `update ${schema}.outbox set attempts = attempts + 1, due_at = ${schema}.now_ms() + $1::bigint where id in (
             select id from ${schema}.outbox as one where state = 'waiting' and due_at <= (select ${schema}.now_ms())
               and not exists (select from ${schema}.outbox as before
                 where before.item_id = one.item_id and before.state = 'waiting' and before.place < one.place)
             order by place limit $2 for update skip locked)
           returning place, body, attempts`,
          [leaseMs, limit],
        ),
      );
      return taken
        .toSorted((one, other) => Number(one["place"]) - Number(other["place"]))
        .map(({ body, attempts }) => ({
          ...(JSON.parse(String(body)) as HookMessage),
          attempts: Number(attempts) - 1,
        }));
    },
    settleHook: async (id, settlement) => {
      const [state, retryMs, error] = settlement.delivered
        ? ["done", null, null]
        : "parked" in settlement
          ? ["parked", null, settlement.error]
          : ["waiting", settlement.retryMs, settlement.error];
      await patient(() =>
        rows(
          `update ${schema}.outbox
           set state = $2, due_at = coalesce(${schema}.now_ms() + $3::bigint, due_at), error = $4
           where id = $1 and state = 'waiting'`,
          id,
          state,
          retryMs,
          error?.replaceAll("\0", "\ufffd") ?? null,
        ),
      );
    },
    removeDelivered: async ({ olderThanMs, limit }) => {
      const gone = await patient(() =>
        rows(
          `delete from ${schema}.outbox where id in (
             select id from ${schema}.outbox where state = 'done' and due_at < ${schema}.now_ms() - $1::bigint limit $2)
           returning id`,
          olderThanMs,
          limit,
        ),
      );
      return gone.length;
    },
  };
}

/** The rows of one item: the item itself, then its claims, verdicts and reviews in their order. */
function toRecord(rows: readonly Record<string, unknown>[]): WorkRecord | undefined {
  const of = <T>(kind: string): T[] =>
    rows.filter((row) => row["kind"] === kind).map(({ body }) => JSON.parse(String(body)) as T);
  const [item] = of<WorkItem>("item");
  return item === undefined
    ? undefined
    : { item, claims: of<Claim>("claim"), verdicts: of<Verdict>("verdict"), reviews: of<ClaimReview>("review") };
}
