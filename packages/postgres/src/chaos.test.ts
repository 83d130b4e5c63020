import { addItem } from "@phasekit/contracts";
import { buildContracts } from "@phasekit/contracts/testing";
import { startPostgres } from "@phasekit/tooling/postgres-server";
import { buildSync } from "esbuild";
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Pool } from "pg";
import { expect, it } from "vitest";
import { migrate } from "./migrate.ts";
import { postgresWorkStore } from "./postgres-work-store.ts";

/** Advancements to make; `pnpm soak:chaos` sets more. */
const ADVANCES = Number(process.env["PHASEKIT_ADVANCES"] ?? 120);
const WORKERS = ADVANCES > 1000 ? 16 : 4;
const ITEMS = 12;
const ENTRIES = Math.ceil(ADVANCES / ITEMS);

it("workers are killed and the server crashes: nothing advances twice, nothing is lost", { timeout: 240_000 + ADVANCES * 500 }, async () => {
  const server = await startPostgres();
  const folder = mkdtempSync(join(import.meta.dirname, "..", ".chaos-"));
  const script = join(folder, "worker.mjs");
  buildSync({ entryPoints: [`${import.meta.dirname}/__fixtures__/competing-worker.ts`], outfile: script, bundle: true, format: "esm", platform: "node", external: ["pg"], logLevel: "error" });
  const pool = new Pool({ connectionString: server.url, max: 4 });
  try {
    const schema = "chaos";
    await migrate(pool, { schema });
    const store = postgresWorkStore(pool, { schema, patienceMs: 120_000 });
    const contracts = buildContracts([{ phase: "plan" }, { phase: "build" }]);
    for (let n = 0; n < ITEMS; n += 1) await addItem(store, { id: `I-${String(n).padStart(2, "0")}` }, { contracts });

    const told: string[] = [];
    const problems: string[] = [];
    const living = new Set<ChildProcess>();
    let kills = 0;
    let crashes = 0;
    const done = new Set<ChildProcess>();
    const start = (): void => {
      const child = spawn(process.execPath, [script, server.url, schema, String(ENTRIES)], { stdio: ["ignore", "pipe", "pipe"] });
      let output = "";
      living.add(child);
      child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
      child.stderr.setEncoding("utf8").on("data", (text: string) => problems.push(text));
      child.on("close", (code) => {
        living.delete(child);
        told.push(...output.split("\n").slice(0, -1));
        if (code === 0) done.add(child);
      });
    };
    const isDone = (): boolean => done.size > 0;
    for (let n = 0; n < WORKERS; n += 1) start();
    for (let round = 1; !isDone(); round += 1) {
      await delay(300);
      const [victim] = [...living].slice(round % Math.max(1, living.size));
      if (round % 2 === 0 && victim?.kill("SIGKILL") === true) kills += 1;
      if (round % 5 === 0) {
        await server.restart("crash");
        crashes += 1;
      }
      while (!isDone() && living.size < WORKERS) start();
    }
    while (living.size > 0) await delay(50);

    const won = new Map<string, string>();
    for (const line of told) {
      const [verdict, item, entry, claim] = line.split(" ");
      if (verdict !== "won") continue;
      expect(won.has(`${String(item)} ${String(entry)}`), line).toBe(false);
      won.set(`${String(item)} ${String(entry)}`, String(claim));
    }
    let unheard = 0;
    for (const id of await store.list()) {
      const { advances } = await store.history(id);
      expect(advances.map(({ entry }) => entry)).toEqual(Array.from({ length: ENTRIES }, (_, index) => index + 1));
      for (const { entry, claimId } of advances) {
        const heard = won.get(`${id} ${String(entry)}`);
        if (heard === undefined) unheard += 1;
        else expect(claimId).toBe(heard);
      }
    }
    // Whoever was told that it won is in the history; the rest was won by workers that were killed before they could tell.
    expect(won.size + unheard).toBe(ITEMS * ENTRIES);
    expect(problems.join("")).toBe("");
    process.stdout.write(`${String(told.length)} decisions, ${String(ITEMS * ENTRIES)} advancements, ${String(kills)} kills, ${String(crashes)} crashes of the server, ${String(unheard)} won by the killed\n`);
  } finally {
    await pool.end();
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});
