import { createPipeline, type WorkStore, defineContracts } from "@phasekit/contracts";
import { SOURCE_CONDITION } from "@phasekit/tooling/source-condition";
import { buildSync } from "esbuild";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { startFaultyNetwork } from "./__fixtures__/faulty-network.ts";
import { freshSchema, openPool } from "./__fixtures__/fresh-schema.ts";
import { createPostgresWorkStore } from "./postgres-work-store.ts";

const ITEMS = 200;
/** Items that a worker takes at a time. */
const BATCH = 16;
const contracts = defineContracts([{ phase: "plan" }, { phase: "build" }]);
const pool = openPool();
const folder = mkdtempSync(join(import.meta.dirname, "..", ".workers-"));
const script = join(folder, "worker.mjs");
const living = new Set<ChildProcess>();

beforeAll(() => {
  buildSync({
    entryPoints: [`${import.meta.dirname}/__fixtures__/claim-worker.ts`],
    outfile: script,
    bundle: true,
    conditions: [SOURCE_CONDITION],
    format: "esm",
    platform: "node",
    external: ["pg"],
    logLevel: "error",
  });
});
afterAll(async () => {
  for (const child of living) child.kill("SIGKILL");
  await pool.end();
  rmSync(folder, { recursive: true });
});

interface Worker {
  readonly child: ChildProcess;
  readonly lines: string[];
  readonly begin: () => void;
  readonly end: Promise<unknown>;
}

async function startWorker(schema: string, { url = inject("databaseUrl"), options = [] as string[] } = {}) {
  const child = spawn(process.execPath, [script, url, schema, ...options], { stdio: ["pipe", "pipe", "inherit"] });
  living.add(child);
  const end = once(child, "close").then(() => living.delete(child));
  const lines: string[] = [];
  const reader = createInterface({ input: child.stdout }).on("line", (line) => lines.push(line));
  await once(reader, "line");
  return { child, lines, end, begin: () => void child.stdin.write("begin\n") } satisfies Worker;
}

async function makeClaims(store: WorkStore, items: number): Promise<void> {
  const ids = Array.from({ length: items }, (_, n) => `I-${String(n).padStart(3, "0")}`);
  await Promise.all(ids.map((id) => createPipeline({ store, contracts }).add({ id })));
  await claimPhase(store, "plan");
}

/** Claims a phase of every item. */
async function claimPhase(store: WorkStore, phase: "plan" | "build"): Promise<void> {
  const next = phase === "plan" ? "build" : null;
  const claim = { completed_phase: phase, contract_version: 1, recommended_next_phase: next };
  await Promise.all((await store.list()).map((item) => createPipeline({ store, contracts }).submit(item, claim)));
}

/** The figures behind a word, summed over all lines of all workers. */
function sum(workers: readonly Worker[], word: string): number {
  return workers
    .flatMap(({ lines }) => lines.filter((line) => line.startsWith(`${word} `)))
    .reduce((all, line) => all + Number(line.split(" ")[1]), 0);
}

/** Numbers of the lines that begin with a word, by what follows. */
function counts(workers: readonly Worker[], word: string): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const line of workers.flatMap(({ lines }) => lines)) {
    const [first, what = ""] = line.split(" ");
    if (first === word) found.set(what, (found.get(what) ?? 0) + 1);
  }
  return found;
}

describe("worker processes", () => {
  /** Lets workers make one tick each on items with one claim each. */
  async function tick(processes: number, items: number): Promise<readonly Worker[]> {
    const schema = await freshSchema(pool);
    await makeClaims(createPostgresWorkStore(pool, { schema, notifications: false }), items);
    const workers = await Promise.all(Array.from({ length: processes }, () => startWorker(schema)));
    for (const { begin } of workers) begin();
    await Promise.all(workers.map(({ end }) => end));
    expect([...counts(workers, "advanced").values()]).toEqual(Array.from({ length: items }, () => 1));
    return workers;
  }

  it("four processes do the work of one: no claim twice, no change refused, no more queries", async () => {
    const idle = sum(await tick(1, 0), "queries");
    const batch = sum(await tick(1, BATCH), "queries") - idle;
    const [alone, four] = [await tick(1, ITEMS), await tick(4, ITEMS)];
    expect(sum(four, "refused")).toBe(0);
    expect([...counts(four, "delivered").values()].every((times) => times === 1)).toBe(true);
    expect(counts(four, "delivered").size).toBe(counts(alone, "delivered").size);
    // Each of the other three looks once when nothing is left, and its last batch may be small.
    expect(sum(four, "queries")).toBeLessThanOrEqual(sum(alone, "queries") + 3 * (idle + batch));
    // All of them worked.
    expect(four.filter((worker) => counts([worker], "advanced").size > 0).length).toBeGreaterThan(1);
  });

  it("killed workers and cut connections: every claim is decided once, every message is delivered", async () => {
    const schema = await freshSchema(pool);
    const store = createPostgresWorkStore(pool, { schema, notifications: false });
    await makeClaims(store, ITEMS);
    const network = await startFaultyNetwork(Number(new URL(inject("databaseUrl")).port));
    const all: Worker[] = [];
    const start = async (): Promise<void> => {
      const worker = await startWorker(schema, {
        url: network.address(inject("databaseUrl")),
        // A dead worker loses its lease soon.
        options: ["loop", "300"],
      });
      worker.begin();
      all.push(worker);
    };
    try {
      for (let n = 0; n < 4; n += 1) await start();
      const isDone = async (): Promise<boolean> =>
        (await store.list({ having: "open-claim", limit: 1 })).length === 0 &&
        (await pool.query(`select from "${schema}".outbox where state = 'waiting' limit 1`)).rowCount === 0;
      let faults = 0;
      for (const phase of ["plan", "build"] as const) {
        if (phase === "build") await claimPhase(store, phase);
        while (!(await isDone())) {
          // By turns: a worker dies, or all connections break in the middle of something.
          faults += 1;
          if (faults % 2 === 0) network.cut();
          else if (faults < 12) {
            const victim = all.find(({ child }) => living.has(child));
            victim?.child.kill("SIGKILL");
            await victim?.end;
            await start();
          }
          await delay(100);
        }
      }
      expect(faults).toBeGreaterThan(2);
      expect(all.flatMap(({ lines }) => lines.filter((line) => line.startsWith("failed ")))).toEqual([]);
      for (const times of counts(all, "advanced").values()) expect(times).toBe(1);
      for (const id of await store.list())
        expect((await store.history(id)).advances.map(({ from, to }) => [from, to])).toEqual([
          ["plan", "build"],
          ["build", null],
        ]);
      // The worker itself carries out the request for a change request.
      const { rows: messages } = await pool.query<{ id: string }>(
        `select id from "${schema}".outbox where body::json ->> 'name' <> 'create_change_request'`,
      );
      const delivered = counts(all, "delivered");
      expect(messages.filter(({ id }) => !delivered.has(id))).toEqual([]);
    } finally {
      for (const { child } of all) child.kill("SIGKILL");
      await Promise.all(all.map(({ end }) => end));
      await network.close();
    }
  });
});
