import type {
  AuditComment,
  Claim,
  ClaimReview,
  HookMessage,
  ItemQuery,
  PhaseAdvance,
  Verdict,
  WorkChange,
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
export function createPostgresWorkStore(pool: Pool, options?: DatabaseOptions): WorkStore {
  return new PostgresWork(pool, options);
}

class PostgresWork implements WorkStore {
  readonly #pool: Pool;
  readonly #patienceMs: number;
  readonly #schema: string;
  readonly #announce: () => void;
  readonly #commit: (change: WorkChange) => Promise<boolean>;

  constructor(pool: Pool, { schema: name, patienceMs = 30_000, notifications = true }: DatabaseOptions = {}) {
    this.#pool = pool;
    this.#patienceMs = patienceMs;
    this.#schema = quotedSchema(name);
    guardPool(pool);
    this.#announce = createAnnouncer(pool, { schema: name, topic: "work", notifications });
    this.#commit = createCommit(pool, { schema: this.#schema, patienceMs: patienceMs });
  }

  readonly create = async (item: WorkItem): Promise<boolean> => {
    const { id, version, phase, status, revisionSince } = item;
    const body = JSON.stringify(item);
    return this.#patient(async (isUncertain) => {
      const made = await this.#rows(
        `insert into ${this.#schema}.item (id, version, phase, status, revision_since, body)
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
        isUncertain &&
        (await this.#rows(`select from ${this.#schema}.item where id = $1 and body = $2`, id, body)).length === 1
      );
    });
  };

  readonly commit: WorkStore["commit"] = async (change) => {
    const done = await this.#commit(change);
    if (done) this.#announce();
    return done;
  };

  readonly list = async ({ phase, status, having, after = "", limit = 1000 }: ItemQuery = {}): Promise<
    readonly string[]
  > => {
    const found = await this.#patient(() =>
      this.#rows(
        `select id from ${this.#schema}.item where id > $1
         and ($2::text is null or phase = $2) and ($3::text is null or status = $3)
         ${having === undefined ? "" : `and ${HAVING[having](this.#schema)}`} order by id limit $4`,
        after,
        phase ?? null,
        status ?? null,
        limit,
      ),
    );
    return found.map(({ id }) => String(id));
  };

  readonly load: WorkStore["load"] = async (itemId) => {
    // One statement sees one moment.
    const found = await this.#patient(() =>
      this.#rows(
        `select 'item' as kind, 0::bigint as place, body from ${this.#schema}.item where id = $1
           union all select kind, place, body from ${this.#schema}.finding where item_id = $1 order by place`,
        itemId,
      ),
    );
    return toRecord(found);
  };

  readonly findClaim: WorkStore["findClaim"] = async (key) =>
    (await this.#bodies<Claim>(`select body from ${this.#schema}.finding where idempotency_key = $1`, key))[0];

  readonly findReview: WorkStore["findReview"] = async (id) => {
    const [row] = await this.#patient(() =>
      this.#rows(`select item_id from ${this.#schema}.finding where kind = 'review' and id = $1`, id),
    );
    return row === undefined ? undefined : { itemId: String(row["item_id"]) };
  };

  readonly readSnapshot: WorkStore["readSnapshot"] = async (hash) =>
    (await this.#bodies<string>(`select text as body from ${this.#schema}.snapshot where hash = $1`, hash))[0];

  readonly history: WorkStore["history"] = async (itemId) => {
    const found = await this.#patient(() =>
      this.#rows(
        `select advance, comments from ${this.#schema}.change
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
  };

  readonly takeItems: WorkStore["takeItems"] = async ({ having, leaseMs, limit, after = "" }) => {
    const token = randomUUID();
    const found = await this.#patient(() =>
      this.#named("take-items", `select * from ${this.#schema}.take_items($1, $2, $3, $4, $5)`, [
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
  };

  readonly releaseItems: WorkStore["releaseItems"] = async (token, items) => {
    await this.#patient(() =>
      this.#named("release-items", `select ${this.#schema}.release_items($1, $2, $3, $4)`, [
        token,
        items.map(({ id }) => id),
        items.map(({ version }) => version),
        items.map(({ restMs }) => restMs),
      ]),
    );
  };

  readonly takeHooks: WorkStore["takeHooks"] = async ({ leaseMs, limit }) => {
    const taken = await this.#patient(() =>
      this.#named(
        "take-hooks",
        `update ${this.#schema}.outbox
           set attempts = attempts + 1, due_at = ${this.#schema}.now_ms() + $1::bigint where id in (
             select id from ${this.#schema}.outbox as one
               where state = 'waiting' and due_at <= (select ${this.#schema}.now_ms())
               and not exists (select from ${this.#schema}.outbox as before
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
  };

  readonly settleHook: WorkStore["settleHook"] = async (id, settlement) => {
    const [state, retryMs, error] = settlement.delivered
      ? ["done", null, null]
      : "parked" in settlement
        ? ["parked", null, settlement.error]
        : ["waiting", settlement.retryMs, settlement.error];
    await this.#patient(() =>
      this.#rows(
        `update ${this.#schema}.outbox
           set state = $2, due_at = coalesce(${this.#schema}.now_ms() + $3::bigint, due_at), error = $4
           where id = $1 and state = 'waiting'`,
        id,
        state,
        retryMs,
        error?.replaceAll("\0", "\ufffd") ?? null,
      ),
    );
  };

  readonly removeDelivered: WorkStore["removeDelivered"] = async ({ olderThanMs, limit }) => {
    const gone = await this.#patient(() =>
      this.#rows(
        `delete from ${this.#schema}.outbox where id in (
             select id from ${this.#schema}.outbox
               where state = 'done' and due_at < ${this.#schema}.now_ms() - $1::bigint limit $2)
           returning id`,
        olderThanMs,
        limit,
      ),
    );
    return gone.length;
  };

  #patient<T>(ask: (isUncertain: boolean) => Promise<T>): Promise<T> {
    return withPatience(this.#patienceMs, ask);
  }

  async #rows(text: string, ...values: unknown[]): Promise<Record<string, unknown>[]> {
    return (await this.#pool.query({ text, values })).rows;
  }

  async #named(name: string, text: string, values: unknown[]): Promise<Record<string, unknown>[]> {
    return (await this.#pool.query({ name: `${this.#schema}-${name}`, text, values })).rows;
  }

  async #bodies<T>(text: string, ...values: unknown[]): Promise<T[]> {
    return (await this.#patient(() => this.#rows(text, ...values))).map(({ body }) => JSON.parse(String(body)) as T);
  }
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
