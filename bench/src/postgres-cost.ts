import type { RunEvent } from "@phasekit/core";
import { migrate, createPostgresRunStore, createPostgresWorkStore, watchChanges } from "@phasekit/postgres";
import { startPostgres } from "@phasekit/tooling/postgres-server";
import { Pool } from "pg";
import { median, ratio } from "./measure.ts";
import { createContest, inSeveralStatements } from "./postgres-advance.ts";
import type { Story } from "./comparison.ts";
import { logOf, toolFact } from "./sample-events.ts";

const CONNECTIONS = 16;
const BATCH = 64;
const SINGLES = 20;
const ITEMS = 32;
/** Claims that compete for every step of an item. */
const RIVALS = 4;
const BLOCKS = 15;
/** A server plans the first calls on a connection anew each time; who serves for days does not notice. */
const WARM_UP = 10;

/** What storing and advancing cost on a real PostgreSQL on this machine, next to the plainest SQL that could do it. */
export async function postgresCost(): Promise<Story> {
  const server = await startPostgres();
  const pool = new Pool({ connectionString: server.url, max: CONNECTIONS });
  const one = new Pool({ connectionString: server.url, max: 1 });
  const listening = new Pool({ connectionString: server.url, max: 3 });
  // Somebody listens, in both cases; what it would then read is its own affair.
  const leaving = new AbortController();
  const watching = ["told", "silent"].map(async (schema) => {
    const { wait, close } = watchChanges(listening, { schema, topic: "runs" });
    while (!leaving.signal.aborted) await wait(1000, { signal: leaving.signal });
    close();
  });
  try {
    for (const schema of ["phasekit", "several", "single", "told", "silent"]) await migrate(pool, { schema });
    await pool.query("create table raw_event (run text, seq bigint, body text, primary key (run, seq))");
    const sample = logOf(Array.from({ length: 100 }, (_, n) => toolFact(n))).slice(2);
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
    const [told, silent] = [
      createPostgresRunStore(pool, { schema: "told" }),
      createPostgresRunStore(pool, { schema: "silent", notifications: false }),
    ];
    const lanes = Array.from({ length: CONNECTIONS }, (_, lane) => `run-${String(lane)}`);
    const onAllLanes = async (work: (lane: string) => Promise<unknown>, times = SINGLES): Promise<void> => {
      await Promise.all(
        lanes.map(async (lane) => {
          for (let n = 0; n < times; n += 1) await work(lane);
        }),
      );
    };
    await append(single, "single", 1);
    const [work, lonely] = [createPostgresWorkStore(pool), createPostgresWorkStore(one)];
    // As rivals in as many processes: none knows of the others.
    const strangers = Array.from({ length: RIVALS }, () => createPostgresWorkStore(pool, { schema: "told" }));
    const contests = {
      call: await createContest(pool, { schema: "phasekit", items: ITEMS, decide: (change) => work.commit(change) }),
      statements: await createContest(pool, {
        schema: "several",
        items: ITEMS,
        decide: (change) => inSeveralStatements(pool, "several", change),
      }),
      strangers: await createContest(pool, {
        schema: "told",
        items: ITEMS,
        decide: (change, rival) => (strangers[rival] ?? work).commit(change),
      }),
      lonelyCall: await createContest(pool, {
        schema: "phasekit",
        items: SINGLES,
        decide: (change) => lonely.commit(change),
      }),
      lonelyStatements: await createContest(pool, {
        schema: "several",
        items: SINGLES,
        decide: (change) => inSeveralStatements(one, "several", change),
      }),
    };
    const time = await interleaved({
      "raw insert": async () => {
        for (let n = 0; n < SINGLES; n += 1) await insert(one);
      },
      append: async () => {
        for (let n = 0; n < SINGLES; n += 1) await append(single, "single", 1);
      },
      "raw inserts": () => onAllLanes(() => insert(pool)),
      batches: () => onAllLanes((lane) => append(store, lane, BATCH), 4),
      "with notifications": () => onAllLanes((lane) => append(told, `told-${lane}`, 1)),
      "without notifications": () => onAllLanes((lane) => append(silent, `silent-${lane}`, 1)),
      "one call": () => contests.call.round({ workers: CONNECTIONS, rivals: RIVALS }),
      "several statements": () => contests.statements.round({ workers: CONNECTIONS, rivals: RIVALS }),
      "one call of strangers": () => contests.strangers.round({ workers: CONNECTIONS, rivals: RIVALS }),
      "one call, alone": () => contests.lonelyCall.round({ workers: 1, rivals: 1 }),
      "several statements, alone": () => contests.lonelyStatements.round({ workers: 1, rivals: 1 }),
    });
    const perEvent = (name: "batches" | "raw inserts", count: number): readonly number[] =>
      time[name].map((spent) => spent / count);
    return {
      title: "What PostgreSQL costs",
      baseline: `one INSERT of a 1 kB event with pg, awaited: ${(median(time["raw insert"]) / SINGLES / 1000).toFixed(0)} µs`,
      results: [
        {
          what: "one event through the run store",
          value: ratio(time.append, time["raw insert"]),
          unit: "×",
          target: 1.3,
        },
        {
          what: `batches of ${String(BATCH)} on ${String(CONNECTIONS)} connections, per event, against single INSERTs on as many`,
          value: ratio(perEvent("batches", CONNECTIONS * 4 * BATCH), perEvent("raw inserts", CONNECTIONS * SINGLES)),
          unit: "×",
          target: 0.4,
        },
        {
          what: `single events on ${String(CONNECTIONS)} connections with notifications, against without`,
          value: ratio(time["with notifications"], time["without notifications"]),
          unit: "×",
          target: 1.05,
        },
        {
          what: `${String(CONNECTIONS)} workers, ${String(RIVALS)} claims for every advancement: one call, against a transaction of several statements`,
          value: ratio(time["one call"], time["several statements"]),
          unit: "×",
          target: 0.4,
        },
        {
          what: "the same, between rivals that do not know of each other",
          value: ratio(time["one call of strangers"], time["several statements"]),
          unit: "×",
        },
        {
          what: "the same by one worker alone, without a rival",
          value: ratio(time["one call, alone"], time["several statements, alone"]),
          unit: "×",
        },
      ],
      notes: [
        "Server and client share the machine, without a network between them: a round trip costs next to nothing here.",
        "Workers of one process send what they decide at the same time together, and settle among themselves who was first.",
      ],
    };
  } finally {
    leaving.abort();
    await Promise.all(watching);
    await Promise.all([pool.end(), one.end(), listening.end()]);
    await server.stop();
  }
}

async function interleaved<const TName extends string>(
  subjects: Readonly<Record<TName, () => Promise<void>>>,
): Promise<Readonly<Record<TName, number[]>>> {
  const names = Object.keys(subjects) as TName[];
  const samples = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<TName, number[]>;
  for (let block = -WARM_UP; block < BLOCKS; block += 1) {
    for (const turn of names.keys()) {
      const name = names[(turn + block + WARM_UP) % names.length] as TName;
      const start = process.hrtime.bigint();
      await subjects[name]();
      if (block >= 0) samples[name].push(Number(process.hrtime.bigint() - start));
    }
  }
  return samples;
}
