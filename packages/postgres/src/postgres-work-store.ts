import type { AuditComment, Claim, HookMessage, ItemQuery, PhaseAdvance, Review, Verdict, WorkChange, WorkItem, WorkStore } from "@phasekit/contracts";
import { randomUUID } from "node:crypto";
import { createAnnouncer } from "./changes.ts";
import { type DatabaseOptions, guardPool, type Pool, quotedSchema } from "./database.ts";
import { withPatience } from "./patience.ts";
import { sendTogether } from "./send-together.ts";

/** What is open about an item. */
const HAVING = {
  "open-claim": (schema: string) => `id in (select item_id from ${schema}.finding where kind = 'claim' and is_open)`,
  revision: () => "revision_since is not null",
  "open-review": (schema: string) => `id in (select item_id from ${schema}.finding where kind = 'review' and is_open)`,
} as const;
/** A key that must not repeat did. */
const UNIQUE_VIOLATION = "23505";

/**
 * Keeps work items in PostgreSQL, for any number of workers on any number of machines. A change is one call: it happens
 * whole or not at all, at most once, and only on the version it saw; changes made while others are on their way travel
 * together. When the connection breaks in the middle, the store finds out by reading whether it happened. Run `migrate`
 * first.
 *
 * @example
 * const store = postgresWorkStore(pool);
 * await processClaims(store, { contracts });
 */
export function postgresWorkStore(pool: Pool, { schema: name, patienceMs = 30_000, notifications = true }: DatabaseOptions = {}): WorkStore {
  const schema = quotedSchema(name);
  guardPool(pool);
  const announce = createAnnouncer(pool, { topic: "work", notifications, ...(name !== undefined && { schema: name }) });
  const patient = <T>(ask: (isUncertain: boolean) => Promise<T>): Promise<T> => withPatience(patienceMs, ask);
  const rows = async (text: string, ...values: unknown[]): Promise<Record<string, unknown>[]> => (await pool.query({ text, values })).rows;
  const bodies = async <T>(text: string, ...values: unknown[]): Promise<T[]> => (await patient(() => rows(text, ...values))).map(({ body }) => JSON.parse(String(body)) as T);

  const COMMIT = `select ${schema}.commit_change(${Array.from({ length: 21 }, (_, index) => `$${String(index + 1)}`).join(", ")}) as done`;

  async function isDone(row: ChangeRow): Promise<boolean> {
    try {
      const [answer] = (await pool.query({ name: `${schema}-commit`, text: COMMIT, values: Object.values(row) })).rows;
      return answer?.["done"] === true;
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === UNIQUE_VIOLATION) return false;
      throw error;
    }
  }

  const commit = sendTogether<ChangeRow, boolean>({
    about: ({ item }) => item,
    alone: (row, wasUncertain) =>
      withPatience(
        patienceMs,
        async (isUncertain) => {
          if (await isDone(row)) return true;
          // The connection broke before: the version that is there now may be the one this very change made.
          return isUncertain && (await rows(`select from ${schema}.change where item_id = $1 and version = $2 and id = $3`, row.item, row.version, row.change)).length === 1;
        },
        { isUncertain: wasUncertain },
      ),
    together: async (given) => {
      const numbered = given.map((row, index) => ({ place: index + 1, ...row }));
      const [answer] = (await pool.query({ name: `${schema}-commits`, text: `select ${schema}.commit_changes($1) as done`, values: [JSON.stringify(numbered)] })).rows;
      return answer?.["done"] as readonly (boolean | null)[];
    },
  });

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
        `select id from ${schema}.item where id > $1 and ($2::text is null or phase = $2) and ($3::text is null or status = $3)${having === undefined ? "" : ` and ${HAVING[having](schema)}`} order by id limit $4`,
        after, phase ?? null, status ?? null, limit,
      ),
    );
    return found.map(({ id }) => String(id));
  }

  return {
    create,
    commit: async (change) => {
      const done = await commit(changeToRow(change));
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
      const of = <T>(kind: string): T[] => found.filter((row) => row["kind"] === kind).map(({ body }) => JSON.parse(String(body)) as T);
      const [item] = of<WorkItem>("item");
      return item === undefined ? undefined : { item, claims: of<Claim>("claim"), verdicts: of<Verdict>("verdict"), reviews: of<Review>("review") };
    },
    findClaim: async (key) => (await bodies<Claim>(`select body from ${schema}.finding where idempotency_key = $1`, key))[0],
    findReview: async (id) => {
      const [row] = await patient(() => rows(`select item_id from ${schema}.finding where kind = 'review' and id = $1`, id));
      return row === undefined ? undefined : { itemId: String(row["item_id"]) };
    },
    readSnapshot: async (hash) => (await bodies<string>(`select text as body from ${schema}.snapshot where hash = $1`, hash))[0],
    history: async (itemId) => {
      const found = await patient(() => rows(`select advance, comments from ${schema}.change where item_id = $1 and (advance is not null or comments is not null) order by version`, itemId));
      return {
        advances: found.flatMap(({ advance }) => (advance === null ? [] : [JSON.parse(String(advance)) as PhaseAdvance])),
        comments: found.flatMap(({ comments }) => (comments === null ? [] : (JSON.parse(String(comments)) as AuditComment[]))),
      };
    },
    takeHooks: async ({ now, leaseMs, limit }) => {
      const taken = await patient(() =>
        rows(
          `update ${schema}.outbox set attempts = attempts + 1, due_at = $1::bigint + $2::bigint where id in (
             select id from ${schema}.outbox as one where state = 'waiting' and due_at <= $1
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

/** A change as the database takes it; the members are in the order of the function's parameters. */
interface ChangeRow {
  readonly item: string;
  readonly expected: number;
  readonly version: number;
  readonly phase: string;
  readonly status: string;
  readonly revision_since: string | null;
  readonly body: string;
  readonly change: string;
  readonly entry: number | null;
  readonly claim: string | null;
  readonly advance: string | null;
  readonly comments: string | null;
  readonly kinds: readonly string[];
  readonly ids: readonly string[];
  readonly keys: readonly (string | null)[];
  readonly opens: readonly boolean[];
  readonly bodies: readonly string[];
  readonly hook_ids: readonly string[];
  readonly hooks: readonly string[];
  readonly hashes: readonly string[];
  readonly texts: readonly string[];
}

function changeToRow({ item, expectedVersion, claims = [], verdicts = [], reviews = [], advance, comments = [], hooks = [], snapshots = [] }: WorkChange): ChangeRow {
  const findings = [
    ...claims.map((claim) => ({ kind: "claim", id: claim.id, key: claim.idempotency_key, isOpen: !claim.processed, body: claim })),
    ...verdicts.map((verdict) => ({ kind: "verdict", id: verdict.id, key: null, isOpen: false, body: verdict })),
    ...reviews.map((review) => ({ kind: "review", id: review.id, key: null, isOpen: review.state === "open" || review.state === "person", body: review })),
  ];
  return {
    item: item.id,
    expected: expectedVersion,
    version: item.version,
    phase: item.phase,
    status: item.status,
    revision_since: item.revisionSince,
    body: JSON.stringify(item),
    change: randomUUID(),
    entry: advance?.entry ?? null,
    claim: advance?.claimId ?? null,
    advance: advance === undefined ? null : JSON.stringify(advance),
    comments: comments.length === 0 ? null : JSON.stringify(comments),
    kinds: findings.map(({ kind }) => kind),
    ids: findings.map(({ id }) => id),
    keys: findings.map(({ key }) => key),
    opens: findings.map(({ isOpen }) => isOpen),
    bodies: findings.map(({ body }) => JSON.stringify(body)),
    hook_ids: hooks.map(({ id }) => id),
    hooks: hooks.map((hook) => JSON.stringify(hook)),
    hashes: snapshots.map(({ hash }) => hash),
    // A text may hold what PostgreSQL does not take; its JSON does not.
    texts: snapshots.map(({ text }) => JSON.stringify(text)),
  };
}
