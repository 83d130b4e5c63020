import type { RunEvent } from "@phasekit/core";
import { cpSync, existsSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { knownEvents, seeded } from "../../packages/ledger/src/node/__fixtures__/known-log.ts";
import { createFileStore } from "../../packages/ledger/src/node/file-store.ts";
import type { Attack } from "./attack.ts";
import { attackCommand } from "./run-attacks.ts";

const CASES = Number(process.env["PHASEKIT_EXCHANGES"] ?? 1500);
const RUNS = { one: 3, two: 9, many: 80, other: 80 } as const;

/**
 * Files of runs removed, emptied and exchanged, alone and together: a run must never read as whole with less than it
 * had.
 */
export const attack: Attack = {
  name: "ledger-exchanges",
  areas: 1,
  run: async ({ pause, total }) => {
    const root = mkdtempSync(join(tmpdir(), "ledger-exchanges-"));
    const failures: string[] = [];
    let damaged = 0;
    let unaffected = 0;
    try {
      await writeRuns(join(root, "clean"));
      for (let seed = 1; seed <= CASES; seed += 1) {
        await pause(seed - 1, CASES);
        const found = await tryCase(root, seed);
        damaged += found.damaged;
        unaffected += found.unaffected;
        failures.push(...found.failures);
      }
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
    const note = `${String(damaged)} damaged and reported, ${String(unaffected)} unaffected`;
    total({ area: "files gone or exchanged", tried: CASES * Object.keys(RUNS).length, failures, note });
  },
};

/** Disturbs a copy of the runs and reads all of them. */
async function tryCase(
  root: string,
  seed: number,
): Promise<{ readonly damaged: number; readonly unaffected: number; readonly failures: readonly string[] }> {
  const work = join(root, "work");
  rmSync(work, { recursive: true, force: true });
  cpSync(join(root, "clean"), work, { recursive: true });
  const done = disturb(work, seeded(seed));
  const store = createFileStore(work);
  const failures: string[] = [];
  let damaged = 0;
  let unaffected = 0;
  for (const [run, last] of Object.entries(RUNS)) {
    const { integrity, end } = await store.inspect(run);
    if (integrity === "damaged") damaged += 1;
    else if (end === last && (await readAll(store, run)) === JSON.stringify(knownEvents(run, { first: 1, last })))
      unaffected += 1;
    else {
      const found = `${run} is ${integrity} with ${String(end)} of ${String(last)}`;
      failures.push(`seed ${String(seed)} (${done.join(", ")}): ${found}`);
    }
  }
  return { damaged, unaffected, failures };
}

async function writeRuns(root: string): Promise<void> {
  const store = createFileStore(root, { segmentBytes: 3000 });
  for (const [run, last] of Object.entries(RUNS))
    for (let first = 1; first <= last; first += 3)
      await store.append(run, knownEvents(run, { first, last: Math.min(last, first + 2) }), { after: first - 1 });
  await store.close();
}

/** One to three disturbances of log files; a file takes its mark along more often than not. */
function disturb(root: string, random: () => number): readonly string[] {
  const files = Object.keys(RUNS).flatMap((run) =>
    readdirSync(join(root, run, "log"))
      .filter((name) => name.endsWith(".jsonl"))
      .map((name) => join(root, run, "log", name)),
  );
  const pick = (): string => files[Math.floor(random() * files.length)] ?? "";
  return Array.from({ length: 1 + Math.floor(random() * 3) }, () => {
    const [first, second] = [pick(), pick()];
    const ends = random() < 0.7 ? ["", ".durable"] : [""];
    const what = (["remove", "exchange", "empty", "replace"] as const)[Math.floor(random() * 4)] ?? "remove";
    for (const end of ends) {
      const [a, b] = [first + end, second + end];
      if (!existsSync(a)) continue;
      if (what === "remove") rmSync(a);
      else if (what === "empty" && statSync(a).size > 0) truncateSync(a, 0);
      else if (a !== b && existsSync(b)) {
        if (what === "replace") cpSync(b, a);
        else {
          renameSync(a, `${a}.x`);
          renameSync(b, a);
          renameSync(`${a}.x`, b);
        }
      }
    }
    return `${what} ${first.slice(root.length)} ${second.slice(root.length)} ${String(ends.length)}`;
  });
}

async function readAll(store: ReturnType<typeof createFileStore>, run: string): Promise<string> {
  const events: RunEvent[] = [];
  for await (const batch of store.read(run)) events.push(...batch);
  return JSON.stringify(events);
}

if (import.meta.main) await attackCommand([attack]);
