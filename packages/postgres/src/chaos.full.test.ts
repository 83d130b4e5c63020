import { createPipeline, defineContracts } from "@phasekit/contracts";
import { startPostgres } from "@phasekit/tooling/postgres-server";
import { buildSync } from "esbuild";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Pool } from "pg";
import { SOURCE_CONDITION } from "@phasekit/tooling/source-condition";
import { depth } from "@phasekit/tooling/test-depth";
import { expect, it } from "vitest";
import { migrate } from "./migrate.ts";
import { createPostgresWorkStore } from "./postgres-work-store.ts";

/** Advancements to make; `pnpm soak:chaos` sets more. */
const ADVANCES = depth({ quick: 120, full: 120, long: 6000 });
const SEED = Number(process.env["PHASEKIT_SEED"] ?? 1);
const WORKERS = ADVANCES > 1000 ? 16 : 4;
const ITEMS = 12;
const ENTRIES = Math.ceil(ADVANCES / ITEMS);
/** A worker is killed, or the server crashes, after every so many advancements. */
const FAULT_EVERY = ADVANCES > 1000 ? 60 : 30;

interface Fleet {
  readonly told: string[];
  readonly problems: string[];
  readonly living: Set<ChildProcess>;
  readonly start: () => void;
  /** Advancements that workers were told they made. */
  readonly won: () => number;
  /** Whether some worker found nothing more to do. */
  readonly isDone: () => boolean;
}

function createFleet(command: readonly string[]): Fleet {
  const told: string[] = [];
  const problems: string[] = [];
  const living = new Set<ChildProcess>();
  let won = 0;
  let done = 0;
  const start = (): void => {
    const child = spawn(process.execPath, command, { stdio: ["ignore", "pipe", "pipe"] });
    let rest = "";
    living.add(child);
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      // What a killed worker could not say to the end it did not say.
      const lines = `${rest}${text}`.split("\n");
      rest = lines.pop() ?? "";
      told.push(...lines);
      won += lines.filter((line) => line.startsWith("won ")).length;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => problems.push(text));
    child.on("close", (code) => {
      living.delete(child);
      if (code === 0) done += 1;
    });
  };
  return { told, problems, living, start, won: () => won, isDone: () => done > 0 };
}

it(
  "workers are killed and the server crashes: nothing advances twice, nothing is lost",
  { timeout: 1_200_000 + ADVANCES * 500 },
  async () => {
    const server = await startPostgres({ fsync: ADVANCES > 1000 });
    const folder = mkdtempSync(join(import.meta.dirname, "..", ".chaos-"));
    const script = join(folder, "worker.mjs");
    buildSync({
      entryPoints: [`${import.meta.dirname}/__fixtures__/competing-worker.ts`],
      outfile: script,
      bundle: true,
      conditions: [SOURCE_CONDITION],
      format: "esm",
      platform: "node",
      external: ["pg"],
      logLevel: "error",
    });
    const pool = new Pool({ connectionString: server.url, max: 4 });
    try {
      const schema = "chaos";
      await migrate(pool, { schema });
      const store = createPostgresWorkStore(pool, { schema, patienceMs: 120_000 });
      const contracts = defineContracts([{ phase: "plan" }, { phase: "build" }]);
      for (let n = 0; n < ITEMS; n += 1)
        await createPipeline({ store, contracts }).add({ id: `I-${String(n).padStart(2, "0")}` });

      const fleet = createFleet([script, server.url, schema, String(ENTRIES)]);
      const { living, told, problems } = fleet;
      const chance = createChance(SEED);
      let kills = 0;
      let crashes = 0;
      for (let faults = 0; !fleet.isDone();) {
        while (!fleet.isDone() && living.size < WORKERS) fleet.start();
        if (fleet.won() < (faults + 1) * FAULT_EVERY) {
          await delay(5);
          continue;
        }
        faults += 1;
        if (faults % 3 === 2) {
          await server.restart("crash");
          crashes += 1;
          continue;
        }
        const victim = [...living][Math.floor(chance() * living.size)];
        if (victim?.kill("SIGKILL") !== true) continue;
        await once(victim, "close");
        kills += 1;
      }
      while (living.size > 0) await delay(20);

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
      // Whoever was told that it won is in the history; the rest was won by workers that were killed before they could
      // tell.
      expect(won.size + unheard).toBe(ITEMS * ENTRIES);
      const messages = await pool.query(`select from "${schema}".outbox`);
      expect(messages.rowCount).toBe(ITEMS * ENTRIES);
      expect(problems.join("")).toBe("");
      expect(kills).toBeGreaterThan(0);
      expect(crashes).toBeGreaterThan(0);
      const unsure = told.filter((line) => line === "unsure").length;
      process.stdout.write(
        [
          `seed ${String(SEED)}: ${String(told.length - unsure)} decisions`,
          `${String(ITEMS * ENTRIES)} advancements`,
          `${String(kills)} workers killed`,
          `${String(crashes)} crashes of the server`,
          `${String(unsure)} calls without an answer`,
          `${String(unheard)} won by the killed\n`,
        ].join(", "),
      );
    } finally {
      await pool.end();
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  },
);

/** The same numbers for the same seed. */
function createChance(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
