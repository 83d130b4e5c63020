import type { RunEvent } from "@phasekit/core";
import { createPostgresRunStore, createPostgresWorkStore, migrate, watchChanges } from "@phasekit/postgres";
import { startPostgres } from "@phasekit/tooling/postgres-server";
import { Pool } from "pg";
import { defineComparison } from "./comparison.ts";
import { measureAsync, median, ratio, type Samples } from "./measure.ts";
import { type Contest, createContest, inSeveralStatements } from "./postgres-advance.ts";
import { logOf, toolEvent } from "./sample-events.ts";

const CONNECTIONS = 16;
const BATCH = 64;
/** Appends of a batch on each connection in one block. */
const BATCHES = 4;
const SINGLES = 20;
const ITEMS = 32;
/** Claims that compete for every step of an item. */
const RIVALS = 4;
const BLOCKS = 15;
/** A server plans the first calls on a connection anew each time; a server that runs for days does not. */
const WARM_UP = 10;

const LANES = `${String(CONNECTIONS)} connections`;
const CONTEST = `${String(CONNECTIONS)} workers, ${String(RIVALS)} claims for every advancement`;

/** The cost of events and advancements on a real PostgreSQL of this machine, beside the plainest SQL for them. */
export const postgresCost = defineComparison({
  title: "Cost of PostgreSQL",
  baseline: "one INSERT of a 1 kB event with pg, awaited",
  rows: {
    append: { what: "one event through the run store", unit: "×", target: 1.3 },
    batches: {
      what: `batches of ${String(BATCH)} on ${LANES}, per event, against single INSERTs on as many`,
      unit: "×",
      target: 0.4,
    },
    notifications: {
      what: `single events on ${LANES} with notifications, against without`,
      unit: "×",
      target: 1.05,
    },
    advance: {
      what: `${CONTEST}: one call, against a transaction of several statements`,
      unit: "×",
      target: 0.4,
    },
    strangers: { what: "the same, between rivals in different processes", unit: "×" },
    alone: { what: "the same by one worker alone, without a rival", unit: "×" },
  },
  measure: async ({ now, pause, signal, baseline, row }) => {
    now("start PostgreSQL");
    return await withPostgres(signal, async (pools) => {
      now("make items");
      const subjects = { ...(await storeSubjects(pools)), ...(await advanceSubjects(pools)) };
      now("compare");
      const time = await measureAsync(
        Object.entries(subjects).map(([name, run]) => ({ name: name as keyof typeof subjects, run })),
        { blocks: BLOCKS, warmUp: WARM_UP, pause },
      );
      const perEvent = (samples: Samples, count: number): Samples => samples.map((spent) => spent / count);
      baseline(`${(median(time["raw insert"]) / SINGLES / 1000).toFixed(0)} µs`);
      row("append", ratio(time.append, time["raw insert"]));
      row(
        "batches",
        ratio(
          perEvent(time.batches, CONNECTIONS * BATCHES * BATCH),
          perEvent(time["raw inserts"], CONNECTIONS * SINGLES),
        ),
      );
      row("notifications", ratio(time["with notifications"], time["without notifications"]));
      row("advance", ratio(time["one call"], time["several statements"]));
      row("strangers", ratio(time["one call of strangers"], time["several statements"]));
      row("alone", ratio(time["one call, alone"], time["several statements, alone"]));
      return [
        "Server and client share the machine, without a network between them: a round trip costs next to nothing here.",
        "Workers of one process send simultaneous decisions together, and settle among themselves which was first.",
      ];
    });
  },
});

interface Pools {
  readonly pool: Pool;
  /** One connection. */
  readonly one: Pool;
}

/** Starts a server with all schemas, and a listener to changes for both stores that are compared with notifications. */
async function withPostgres<T>(signal: AbortSignal, work: (pools: Pools) => Promise<T>): Promise<T> {
  const server = await startPostgres();
  const [pool, one, listening] = [CONNECTIONS, 1, 3].map((max) => createPool(server.url, max)) as [Pool, Pool, Pool];
  const leaving = new AbortController();
  const watching = ["notified", "silent"].map(async (schema) => {
    const { wait, close } = watchChanges(listening, { schema, topic: "runs" });
    while (!leaving.signal.aborted) await wait(1000, { signal: leaving.signal });
    close();
  });
  try {
    for (const schema of ["phasekit", "several", "single", "notified", "silent"]) await migrate(pool, { schema });
    await pool.query("create table raw_event (run text, seq bigint, body text, primary key (run, seq))");
    return await Promise.race([work({ pool, one }), rejectOnAbort(signal)]);
  } finally {
    leaving.abort();
    const ended = Promise.allSettled(watching).then(() => Promise.allSettled([pool.end(), one.end(), listening.end()]));
    // Ctrl-C reaches the server too, and its clients may wait for it to come back.
    if (!signal.aborted) await ended;
    await server.stop();
  }
}

/** Stores try again when the server is away, so they would not end after Ctrl-C. */
function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason as Error));
  });
}

/** A pool that survives the end of the server: Ctrl-C ends both, and the query that fails reports it. */
function createPool(connectionString: string, max: number): Pool {
  return new Pool({ connectionString, max }).on("error", () => undefined);
}

/** Events through the run store and in plain INSERTs, on one connection and on all. */
async function storeSubjects({ pool, one }: Pools) {
  const sample = logOf(Array.from({ length: 100 }, (_, n) => toolEvent(n))).slice(2);
  const event = (seq: number): RunEvent => ({ ...(sample[seq % sample.length] as RunEvent), seq });
  const ends = new Map<string, number>();
  const append = async (to: ReturnType<typeof createPostgresRunStore>, run: string, count: number): Promise<void> => {
    const after = ends.get(run) ?? 0;
    ends.set(run, after + count);
    await to.append(
      run,
      Array.from({ length: count }, (_, n) =>
        after + n === 0 ? ({ ...(logOf([])[0] as RunEvent), run } as RunEvent) : event(after + n + 1),
      ),
      { after },
    );
  };
  let raw = 0;
  const insert = (on: Pool): Promise<unknown> =>
    on.query({
      name: "raw",
      text: "insert into raw_event (run, seq, body) values ('raw', $1, $2)",
      values: [(raw += 1), JSON.stringify(event(raw))],
    });
  const [store, single] = [createPostgresRunStore(pool), createPostgresRunStore(one, { schema: "single" })];
  const notified = createPostgresRunStore(pool, { schema: "notified" });
  const silent = createPostgresRunStore(pool, { schema: "silent", notifications: false });
  const lanes = Array.from({ length: CONNECTIONS }, (_, lane) => `run-${String(lane)}`);
  const onAllLanes = async (work: (lane: string) => Promise<unknown>, times = SINGLES): Promise<void> => {
    await Promise.all(lanes.map((lane) => repeat(times, () => work(lane))));
  };
  await append(single, "single", 1);
  return {
    "raw insert": () => repeat(SINGLES, () => insert(one)),
    append: () => repeat(SINGLES, () => append(single, "single", 1)),
    "raw inserts": () => onAllLanes(() => insert(pool)),
    batches: () => onAllLanes((lane) => append(store, lane, BATCH), BATCHES),
    "with notifications": () => onAllLanes((lane) => append(notified, `notified-${lane}`, 1)),
    "without notifications": () => onAllLanes((lane) => append(silent, `silent-${lane}`, 1)),
  };
}

async function repeat(times: number, work: () => Promise<unknown>): Promise<void> {
  for (let n = 0; n < times; n += 1) await work();
}

/** Advancements of items in one call and in a transaction, with rivals and without. */
async function advanceSubjects({ pool, one }: Pools) {
  const [work, lonely] = [createPostgresWorkStore(pool), createPostgresWorkStore(one)];
  // Rivals in as many processes: none knows the others.
  const strangers = Array.from({ length: RIVALS }, () => createPostgresWorkStore(pool, { schema: "notified" }));
  const contestOf = (schema: string, items: number, decide: Parameters<typeof createContest>[1]["decide"]) =>
    createContest(pool, { schema, items, decide });
  const call = await contestOf("phasekit", ITEMS, (change) => work.commit(change));
  const statements = await contestOf("several", ITEMS, (change) => inSeveralStatements(pool, "several", change));
  const between = await contestOf("notified", ITEMS, (change, rival) => (strangers[rival] ?? work).commit(change));
  const lonelyCall = await contestOf("phasekit", SINGLES, (change) => lonely.commit(change));
  const lonelyStatements = await contestOf("several", SINGLES, (change) => inSeveralStatements(one, "several", change));
  const compete = (contest: Contest) => () => contest.round({ workers: CONNECTIONS, rivals: RIVALS });
  const alone = (contest: Contest) => () => contest.round({ workers: 1, rivals: 1 });
  return {
    "one call": compete(call),
    "several statements": compete(statements),
    "one call of strangers": compete(between),
    "one call, alone": alone(lonelyCall),
    "several statements, alone": alone(lonelyStatements),
  };
}
