import { createPipeline } from "@phasekit/contracts";
import type { RunEvent } from "@phasekit/core";
import { pruneRuns } from "@phasekit/ledger";
import { createPostgresRunStore, createPostgresWorkStore, migrate, type PostgresRunStore } from "@phasekit/postgres";
import { startPostgres } from "@phasekit/tooling/postgres-server";
import { Pool } from "pg";
import { defineComparison } from "./comparison.ts";
import { makeClaims, workerContracts } from "./make-claims.ts";
import { logOf, toolEvent } from "./sample-events.ts";

const CONNECTIONS = 16;
/** A run of a coding agent: about a hundred turns. */
const EVENTS = 400;
const RUNS = 256;
/** Events of a run that travel together, as a shipper sends them. */
const BATCH = 64;
const ITEMS = 1024;

/** Absolute figures of one PostgreSQL on this machine: the input of docs/scale.md. */
export const postgresScale = defineComparison({
  title: "Figures for a plan of capacity",
  baseline: `runs of ${String(EVENTS)} events of about 1 kB, ${String(CONNECTIONS)} connections, commits on disk`,
  rows: {
    single: { what: "events stored one at a time", unit: "per s" },
    batches: { what: `events stored in batches of ${String(BATCH)}`, unit: "per s" },
    event: { what: "an event in tables and indexes", unit: "B per event" },
    run: { what: `a run of ${String(EVENTS)} events in tables and indexes`, unit: "kB" },
    log: { what: "log of the server (WAL) for an event in a batch", unit: "B per event" },
    claims: { what: "claims decided by one process", unit: "per s" },
    messages: { what: "messages delivered by one process", unit: "per s" },
    item: { what: "an item with one decided claim and its messages in tables and indexes", unit: "kB" },
    connection: { what: "memory of one idle connection on the server", unit: "kB" },
    prune: { what: "runs removed by `phasekit db prune`", unit: "per s" },
  },
  measure: async ({ now, pause, row }) => {
    now("start PostgreSQL");
    const server = await startPostgres();
    const pool = new Pool({ connectionString: server.url, max: CONNECTIONS }).on("error", () => undefined);
    try {
      await migrate(pool);
      const runs = createPostgresRunStore(pool, { notifications: false });
      now("store events");
      await pause(0, 4);
      const singles = CONNECTIONS * 100;
      row(
        "single",
        await rate(singles, () => writeRuns(runs, { name: "single", count: CONNECTIONS, events: 100, batch: 1 })),
      );
      const before = await sizes(pool, "run", "event");
      const wal = await logPosition(pool);
      await pause(1, 4);
      const stored = await rate(RUNS * EVENTS, () =>
        writeRuns(runs, { name: "batch", count: RUNS, events: EVENTS, batch: BATCH }),
      );
      row("batches", stored);
      const bytes = (await sizes(pool, "run", "event")) - before;
      row("event", bytes / (RUNS * EVENTS));
      row("run", bytes / RUNS / 1024);
      row("log", ((await logPosition(pool)) - wal) / (RUNS * EVENTS));
      await pause(2, 4);
      now("decide claims");
      const tables = ["item", "change", "finding", "outbox", "snapshot"] as const;
      const empty = await sizes(pool, ...tables);
      const store = createPostgresWorkStore(pool, { notifications: false });
      await createPipeline({ store, contracts: workerContracts }).add({ id: "first" });
      await makeClaims(store, { block: 0, items: ITEMS });
      row("claims", await rate(ITEMS, () => createPipeline({ store, contracts: workerContracts }).tick()));
      let messages = 0;
      const start = performance.now();
      messages += (await createPipeline({ store, contracts: workerContracts, deliver: () => undefined }).deliverHooks())
        .delivered;
      row("messages", (messages / (performance.now() - start)) * 1000);
      row("item", ((await sizes(pool, ...tables)) - empty) / ITEMS / 1024);
      row("connection", await connectionMemory(pool));
      await pause(3, 4);
      now("prune");
      row("prune", await rate(RUNS + CONNECTIONS, () => pruneRuns(runs, { now: Date.now() * 2, olderThanMs: 1 })));
      return [
        "Absolute figures of this machine, with client and server on it: measure on yours before you plan.",
        "The server is the default one: no setting of it was changed.",
      ];
    } finally {
      await pool.end();
      await server.stop();
    }
  },
});

async function rate(count: number, work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return (count / (performance.now() - start)) * 1000;
}

/** Writes runs side by side, as many at a time as there are connections. */
async function writeRuns(
  store: PostgresRunStore,
  {
    name,
    count,
    events,
    batch,
  }: { readonly name: string; readonly count: number; readonly events: number; readonly batch: number },
): Promise<void> {
  const sample = logOf(Array.from({ length: events }, (_, n) => toolEvent(n))).slice(0, events);
  const waiting = Array.from({ length: count }, (_, n) => `${name}-${String(n)}`);
  const write = async (): Promise<void> => {
    for (let run = waiting.pop(); run !== undefined; run = waiting.pop()) {
      const log = sample.map((event): RunEvent => (event.type === "run.started" ? { ...event, run } : event));
      for (let after = 0; after < log.length; after += batch)
        await store.append(run, log.slice(after, after + batch), { after });
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, write));
}

/** Bytes of tables with their indexes. */
async function sizes(pool: Pool, ...tables: readonly string[]): Promise<number> {
  const { rows } = await pool.query<{ bytes: string }>({
    text: "select sum(pg_total_relation_size(('phasekit.' || name)::regclass)) as bytes from unnest($1::text[]) name",
    values: [tables],
  });
  return Number(rows[0]?.bytes);
}

async function logPosition(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ bytes: string }>("select pg_current_wal_lsn() - '0/0'::pg_lsn as bytes");
  return Number(rows[0]?.bytes);
}

/** Memory contexts of one connection on the server, in kilobytes. */
async function connectionMemory(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ bytes: string }>(
    "select sum(total_bytes) as bytes from pg_backend_memory_contexts",
  );
  return Number(rows[0]?.bytes) / 1024;
}
