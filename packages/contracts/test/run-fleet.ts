import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { addItem } from "../src/items/add-item.ts";
import { deliverHooks } from "../src/items/deliver-hooks.ts";
import { processClaims } from "../src/claims/process-claims.ts";
import { createSqliteWorkStore } from "../src/sqlite.ts";
import { createRandom } from "./random.ts";
import { contracts, JUDGE } from "./fleet-pipeline.ts";

/** How large the fleet is. */
export interface FleetOptions {
  readonly processes: number;
  readonly items: number;
  /** Workers that are killed with SIGKILL at random moments, and replaced. */
  readonly kills: number;
  readonly rivals?: number;
}

/** What the fleet left behind. */
export interface FleetResult {
  readonly advances: number;
  readonly completed: number;
  readonly kills: number;
  readonly claims: number;
  readonly problems: readonly string[];
}

/** Lets many processes work on one SQLite file, kills some, and checks what is in the file afterwards. */
export async function runFleet({ processes, items, kills, rivals = 4 }: FleetOptions): Promise<FleetResult> {
  const folder = mkdtempSync(join(tmpdir(), "phasekit-fleet-"));
  const path = join(folder, "work.db");
  const log = join(folder, "hooks.log");
  const random = createRandom(items * 31 + kills);
  try {
    const store = createSqliteWorkStore({ path, acknowledge: "kernel", busyTimeoutMs: 60_000 });
    for (let n = 0; n < items; n += 1) await addItem(store, { id: `F-${n}` }, { contracts });
    const running = new Set<ChildProcess>();
    const done: Promise<void>[] = [];
    let seed = 0;
    let killed = 0;
    const start = (): void => {
      const child = spawn(
        process.execPath,
        [fileURLToPath(new URL("./fleet-worker.ts", import.meta.url)), path, log, String((seed += 1)), String(rivals)],
        { stdio: ["ignore", "ignore", "inherit"] },
      );
      running.add(child);
      done.push(
        new Promise((resolve, reject) => {
          child.once("close", (code, signal) => {
            running.delete(child);
            if (signal === "SIGKILL") start();
            else if (code !== 0) return reject(new Error(`A worker ended with ${code}.`));
            resolve();
          });
        }),
      );
    };
    for (let n = 0; n < processes; n += 1) start();
    const killer = (async () => {
      while (killed < kills && running.size > 0) {
        await new Promise((resolve) => setTimeout(resolve, 100 + random.below(400)));
        const [victim] = [...running].slice(random.below(Math.max(1, running.size)));
        if (victim?.kill("SIGKILL") === true) killed += 1;
      }
    })();
    for (let index = 0; index < done.length; index += 1) await done[index];
    await killer;
    // Workers started by a late kill.
    for (let index = 0; index < done.length; index += 1) await done[index];
    await processClaims(store, { contracts, judge: JUDGE, clock: () => Date.now() + 60_000 });
    const late: string[] = [];
    await deliverHooks(store, {
      deliver: ({ id, name }) => void late.push(`${id} ${name}`),
      clock: () => Date.now() + 60_000,
    });
    const result = await inspect(store, {
      items,
      delivered: [...(existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : []), ...late],
    });
    store.close?.();
    return { ...result, kills: killed };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function inspect(
  store: ReturnType<typeof createSqliteWorkStore>,
  { items, delivered }: { readonly items: number; readonly delivered: readonly string[] },
): Promise<Omit<FleetResult, "kills">> {
  const problems: string[] = [];
  let advances = 0;
  let completed = 0;
  let claims = 0;
  const hooks = new Set(delivered);
  for (let n = 0; n < items; n += 1) {
    const id = `F-${n}`;
    const record = await store.load(id);
    const history = await store.history(id);
    advances += history.advances.length;
    claims += record?.claims.length ?? 0;
    if (record?.item.completed === true) completed += 1;
    if (history.advances.map(({ from }) => from).join() !== "plan,design,build")
      problems.push(`${id}: ${history.advances.map(({ from }) => from).join()}`);
    if (record?.item.metrics.phase_rejection_count !== 0) problems.push(`${id}: rejected`);
    if (record?.claims.some(({ processed }) => !processed) === true) problems.push(`${id}: undecided claims`);
    const told = [...hooks].filter((line) => line.startsWith(`${id}@`) && line.endsWith(" on-phase-advance"));
    if (told.length !== 3) problems.push(`${id}: ${told.length} of 3 hooks`);
  }
  return { advances, completed, claims, problems };
}
