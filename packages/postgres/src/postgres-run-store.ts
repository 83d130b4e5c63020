import { isPhasekitError, type RunEvent } from "@phasekit/core";
import {
  applyRunQuery,
  assertAppend,
  createSummary,
  encodeEvent,
  type RunQuery,
  type RunStore,
  type RunSummary,
} from "@phasekit/ledger";
import { createAnnouncer } from "./announce-changes.ts";
import { type DatabaseOptions, guardPool, isStorable, type Pool, quotedSchema } from "./database.ts";
import { unstorableId } from "./errors.ts";
import { withPatience } from "./patience.ts";
import { watchChanges } from "./watch-changes.ts";

export interface PostgresRunStoreOptions extends DatabaseOptions {
  /** How often a follower looks for more when nothing wakes it, in milliseconds. @default 1000 */
  readonly pollMs?: number;
}

/** A run store in a database, and what shippers ask it. */
export interface PostgresRunStore extends Required<RunStore> {
  /** The last event of a run; 0 when there is no such run. */
  readonly end: (runId: string) => Promise<number>;
}

const PAGE = 1000;

/**
 * Keeps runs in PostgreSQL. An append is one statement, and acknowledged when it is committed; when the connection
 * breaks in the middle, the store finds out by reading whether it happened. Run `migrate` first.
 *
 * @example
 * const store = createPostgresRunStore(pool);
 * storeRun(run, store);
 */
export function createPostgresRunStore(pool: Pool, options?: PostgresRunStoreOptions): PostgresRunStore {
  return new PostgresRuns(pool, options);
}

class PostgresRuns implements PostgresRunStore {
  readonly #pool: Pool;
  readonly #patienceMs: number;
  readonly #pollMs: number;
  readonly #schema: string;
  readonly #changes: { readonly schema: string | undefined; readonly topic: "runs"; readonly notifications: boolean };
  readonly #announce: () => void;
  readonly #FIRST: string;
  readonly #NEXT: string;
  /** Most appends: the server plans a list anew every time, one event only once. */
  readonly #ONE: string;

  constructor(
    pool: Pool,
    { schema: name, patienceMs = 30_000, pollMs = 1000, notifications = true }: PostgresRunStoreOptions = {},
  ) {
    this.#pool = pool;
    this.#patienceMs = patienceMs;
    this.#pollMs = pollMs;
    this.#schema = quotedSchema(name);
    guardPool(pool);
    this.#changes = { schema: name, topic: "runs", notifications } as const;
    this.#announce = createAnnouncer(pool, this.#changes);
    this.#FIRST = `with made as (
      insert into ${this.#schema}.run (id, ends_at, started_at, item, parent)
        values ($1, cardinality($3::text[]), $4, $5, $6) on conflict do nothing returning id)
    insert into ${this.#schema}.event (run, seq, type, body)
      select $1, place, type, body
        from unnest($2::text[], $3::text[]) with ordinality as given (type, body, place)
        where exists (select from made)`;
    this.#NEXT = `with moved as (
      update ${this.#schema}.run set ends_at = $4::bigint + cardinality($3::text[])
        where id = $1 and ends_at = $4 returning id)
    insert into ${this.#schema}.event (run, seq, type, body)
      select $1, $4::bigint + place, type, body
        from unnest($2::text[], $3::text[]) with ordinality as given (type, body, place)
        where exists (select from moved)`;
    this.#ONE = `with moved as (
      update ${this.#schema}.run set ends_at = ends_at + 1 where id = $1 and ends_at = $4 returning id, ends_at)
    insert into ${this.#schema}.event (run, seq, type, body) select id, ends_at, $2, $3 from moved`;
  }

  readonly append = async (
    run: string,
    events: readonly RunEvent[],
    { after }: { readonly after: number },
  ): Promise<void> => {
    assertAppend(run, events, { after, end: after });
    if (!isStorable(run)) throw unstorableId(run);
    const step: Step = { events, bodies: events.map((event) => encodeEvent(run, event)), after };
    await this.#patient(async (isUncertain) => {
      if (await this.#insert(run, step)) return;
      // The connection broke before: it may have been stored then.
      if (isUncertain && (await this.#isStored(run, step))) return;
      assertAppend(run, events, { after, end: await this.#endOf(run) });
    });
    this.#announce();
  };

  readonly read: PostgresRunStore["read"] = (run, options) => this.#read(run, options);

  readonly list = async (asked: RunQuery = {}): Promise<readonly RunSummary[]> => {
    applyRunQuery([], asked);
    const { limit = 100, item, parent, since, before } = asked;
    if (![item ?? "", parent ?? ""].every(isStorable)) return [];
    const found: RunSummary[] = [];
    for (let last: Record<string, unknown> = {}; found.length < limit;) {
      const rows = await this.#patient(() =>
        this.#query(
          `select id, started_at, ends_at, summary, summary_at,
              current_setting('transaction_read_only') = 'off' as can_write
            from ${this.#schema}.run
           where ($1::text is null or item = $1) and ($2::text is null or parent = $2) 
              and ($3::bigint is null or started_at >= $3) and ($4::bigint is null or started_at < $4)
              and ($5::bigint is null or (started_at, id) < ($5, $6))
           order by started_at desc, id desc limit ${String(PAGE)}`,
          item ?? null,
          parent ?? null,
          // Whole numbers around them: the summaries decide.
          since === undefined ? null : Math.floor(since),
          before === undefined ? null : Math.ceil(before),
          last["started_at"] ?? null,
          last["id"] ?? null,
        ),
      );
      last = rows.at(-1) ?? {};
      const made: RunSummary[] = [];
      for (const { id, ends_at: end, summary, summary_at: at, can_write: canWrite } of rows) {
        const isKept = at === end && typeof summary === "string";
        const known = isKept ? (JSON.parse(summary) as RunSummary) : await this.#summarize(String(id), Number(end));
        if (known !== undefined) found.push(...applyRunQuery([known], asked));
        if (known?.seq === Number(end) && !isKept && canWrite === true) made.push(known);
        if (found.length >= limit) break;
      }
      if (made.length > 0) await this.#keep(made);
      if (rows.length < PAGE) break;
    }
    return applyRunQuery(found, asked);
  };

  readonly tail: PostgresRunStore["tail"] = (run, options) => this.#tail(run, options);

  readonly end: PostgresRunStore["end"] = (run) => this.#patient(() => this.#endOf(run));

  readonly remove: PostgresRunStore["remove"] = async (run) => {
    await this.#patient(() =>
      this.#query(
        `with gone as (delete from ${this.#schema}.run where id = $1) delete from ${this.#schema}.event where run = $1`,
        run,
      ),
    );
  };

  async #query(text: string, ...values: unknown[]): Promise<Record<string, unknown>[]> {
    return (await this.#pool.query({ text, values })).rows;
  }

  #patient<T>(ask: (isUncertain: boolean) => Promise<T>): Promise<T> {
    return withPatience(this.#patienceMs, ask);
  }

  async #insert(run: string, { events, bodies, after }: Step): Promise<boolean> {
    const [first] = events;
    const types = events.map(({ type }) => type);
    const { rowCount } =
      after === 0 && first?.type === "run.started"
        ? await this.#pool.query({
            name: `${this.#schema}-first`,
            text: this.#FIRST,
            values: [run, types, bodies, Math.floor(first.at), first.item?.id ?? null, first.parent?.run ?? null],
          })
        : events.length === 1
          ? await this.#pool.query({
              name: `${this.#schema}-one`,
              text: this.#ONE,
              values: [run, types[0], bodies[0], after],
            })
          : await this.#pool.query({
              name: `${this.#schema}-next`,
              text: this.#NEXT,
              values: [run, types, bodies, after],
            });
    return rowCount === events.length;
  }

  async #isStored(run: string, { bodies, after }: Step): Promise<boolean> {
    const rows = await this.#query(
      `select body from ${this.#schema}.event where run = $1 and seq > $2 and seq <= $3 order by seq`,
      run,
      after,
      after + bodies.length,
    );
    return rows.length === bodies.length && rows.every(({ body }, index) => body === bodies[index]);
  }

  async #endOf(run: string): Promise<number> {
    const [row] = await this.#query(`select ends_at from ${this.#schema}.run where id = $1`, run);
    return Number(row?.["ends_at"] ?? 0);
  }

  /** The next events, cut where an append ends. */
  async #page(run: string, after: number): Promise<readonly RunEvent[]> {
    const rows = await this.#patient(() =>
      this.#query(
        `select body, tx::text from ${this.#schema}.event where run = $1 and seq > $2
           order by seq limit ${String(PAGE)}`,
        run,
        after,
      ),
    );
    const last = rows.at(-1)?.["tx"];
    const cut = rows.length < PAGE || rows[0]?.["tx"] === last ? rows : rows.filter(({ tx }) => tx !== last);
    return cut.map(({ body }) => JSON.parse(String(body)) as RunEvent);
  }

  async *#read(
    run: string,
    { after = 0 }: { readonly after?: number } = {},
  ): AsyncGenerator<readonly RunEvent[], void, undefined> {
    if (!isStorable(run)) return;
    for (let seq = after; ;) {
      const events = await this.#page(run, seq);
      const last = events.at(-1);
      if (last === undefined) return;
      yield events;
      seq = last.seq;
    }
  }

  async *#tail(
    run: string,
    { after = 0 }: { readonly after?: number } = {},
  ): AsyncGenerator<readonly RunEvent[], void, undefined> {
    const watch = watchChanges(this.#pool, this.#changes);
    try {
      for (let seq = after; ;) {
        const events = await this.#page(run, seq);
        const last = events.at(-1);
        if (last !== undefined) {
          yield events;
          seq = last.seq;
        } else if ((await this.#patient(() => this.#endOf(run))) > 0) await watch.wait(this.#pollMs);
        else return;
      }
    } finally {
      watch.close();
    }
  }

  async #summarize(run: string, end: number): Promise<RunSummary | undefined> {
    const summary = createSummary();
    try {
      for await (const batch of this.read(run)) for (const event of batch) if (event.seq <= end) summary.add(event);
    } catch (error) {
      // A newer version of Phasekit continued it: the list shows what came before.
      if (!isPhasekitError(error, "UNKNOWN_EVENT")) throw error;
    }
    try {
      return summary.get();
    } catch (error) {
      if (error instanceof TypeError) return undefined;
      throw error;
    }
  }

  /** Keeps summaries for the next time. A standby, or a role that may only read, works them out each time. */
  async #keep(made: readonly RunSummary[]): Promise<void> {
    await this.#query(
      `update ${this.#schema}.run set summary = given.body, summary_at = given.seq
       from unnest($1::text[], $2::bigint[], $3::text[]) as given (run, seq, body)
       where id = given.run and ends_at = given.seq`,
      made.map(({ run }) => run),
      made.map(({ seq }) => seq),
      made.map((summary) => JSON.stringify(summary)),
    ).catch(() => undefined);
  }
}

interface Step {
  readonly events: readonly RunEvent[];
  readonly bodies: readonly string[];
  readonly after: number;
}
