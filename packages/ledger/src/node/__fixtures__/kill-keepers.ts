import type { RunEvent } from "@phasekit/core";
import { buildSync } from "esbuild";
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SOURCE_CONDITION } from "@phasekit/tooling/source-condition";
import { pruneRuns } from "../../prune-runs.ts";
import { exportRun, importRun } from "../archive/export-run.ts";
import { createFileStore, type FileStore } from "../file-store.ts";
import { knownEvents, seeded } from "./known-log.ts";

export type Task = "prune" | "store" | "export";

/** What was wrong after each kill; nothing when all is well. */
export interface KillReport {
  readonly kills: number;
  readonly acknowledged: number;
  /** Kills that left something behind for the next call to clear. */
  readonly leftovers: number;
  readonly problems: readonly string[];
}

/** Kills processes in the middle of a task, and looks after each kill whether anything was lost or left. */
export async function killKeepers(
  task: Task,
  {
    kills,
    seed,
    beforeKill,
  }: {
    readonly kills: number;
    readonly seed: number;
    /** Called with the number of the next kill; an error ends the work. */
    readonly beforeKill?: (kill: number) => Promise<void>;
  },
): Promise<KillReport> {
  const root = mkdtempSync(join(tmpdir(), `ledger-${task}-`));
  const script = `${root}.mjs`;
  buildSync({
    entryPoints: [join(import.meta.dirname, "killed-keeper.ts")],
    outfile: script,
    bundle: true,
    conditions: [SOURCE_CONDITION],
    format: "esm",
    platform: "node",
    logLevel: "error",
  });
  const random = seeded(seed);
  const problems: string[] = [];
  let acknowledged = 0;
  let leftovers = 0;
  let last = 0;
  try {
    if (task === "export") await prepareExport(root);
    for (let kill = 1; kill <= kills; kill += 1) {
      await beforeKill?.(kill);
      const lines = await killOne(
        [script, root, task, String(last)],
        Math.floor(random() * (task === "prune" ? 250 : 30)),
      );
      acknowledged += lines.length;
      last = Number(lines.at(-1)?.split(" ")[1] ?? last);
      const found = await { prune: checkPruned, store: checkStored, export: checkExported }[task](root, { lines });
      leftovers += found.leftovers;
      problems.push(...found.problems.map((problem) => `kill ${String(kill)}: ${problem}`));
      // A run whose writer died before it was acknowledged may hold the next number.
      last += 1;
    }
  } finally {
    for (const path of [root, script]) rmSync(path, { recursive: true, force: true });
  }
  return { kills, acknowledged, leftovers, problems };
}

function killOne(args: readonly string[], waitMs: number): Promise<readonly string[]> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...args], { stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    let errors = "";
    let timer: NodeJS.Timeout | undefined;
    child.stdout.setEncoding("latin1").on("data", (text: string) => {
      output += text;
      timer ??= setTimeout(() => child.kill("SIGKILL"), waitMs);
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text));
    child.on("close", (code) => {
      clearTimeout(timer);
      if (code !== null) reject(new Error(`it ended by itself: ${errors}`));
      else resolve(output.split("\n").filter((line) => line.startsWith("ack ")));
    });
  });
}

interface Found {
  readonly leftovers: number;
  readonly problems: readonly string[];
}

async function eventsOf(store: FileStore, run: string): Promise<readonly RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const batch of store.read(run)) events.push(...batch);
  return events;
}

const dotted = (folder: string): number => readdirSync(folder).filter((name) => name.startsWith(".")).length;

async function checkPruned(root: string, { lines }: { readonly lines: readonly string[] }): Promise<Found> {
  const problems: string[] = [];
  const folder = join(root, "runs");
  const store = createFileStore(folder, { onError: (problem) => problems.push(String(problem)) });
  const numbers = lines.map((line) => Number(line.split(" ")[1])).slice(-5);
  for (const number of numbers) {
    const run = `run-${String(number).padStart(6, "0")}`;
    const events = await eventsOf(store, run);
    if (events.length !== 5) problems.push(`${run} has ${String(events.length)} of 5 events`);
  }
  for (const { run } of await store.list({ limit: Infinity })) {
    const { integrity } = await store.inspect(run);
    if (integrity === "damaged") problems.push(`${run} is damaged`);
  }
  const leftovers = dotted(folder);
  await pruneRuns(store, { now: Date.now(), keep: 5 });
  if (dotted(folder) > 0) problems.push("the next call left what the kill had left");
  if ((await store.list({ limit: Infinity })).length > 5) problems.push("the next call pruned too little");
  await store.close();
  return { leftovers: Math.min(1, leftovers), problems };
}

async function checkStored(root: string, { lines }: { readonly lines: readonly string[] }): Promise<Found> {
  const problems: string[] = [];
  const store = createFileStore(join(root, "runs"), { onError: (problem) => problems.push(String(problem)) });
  const storedByRun = new Map(
    lines.map((line) => line.split(" ").slice(1)).map(([run = "", stored]) => [run, Number(stored)]),
  );
  for (const [number, stored] of storedByRun) {
    const { integrity, end } = await store.inspect(`run-${number}`);
    if (integrity === "damaged" || end < stored)
      problems.push(`run-${number} is ${integrity} with ${String(end)} of ${String(stored)} events`);
  }
  await store.list({ limit: Infinity });
  await store.close();
  return { leftovers: 0, problems };
}

async function prepareExport(root: string): Promise<void> {
  const store = createFileStore(join(root, "runs"));
  await store.append("exported", knownEvents("exported", { first: 1, last: 400, size: 2000 }), { after: 0 });
  await store.close();
}

async function checkExported(root: string): Promise<Found> {
  const problems: string[] = [];
  const folder = join(root, "exported");
  const store = createFileStore(join(root, "runs"));
  const drafts = (): number =>
    readdirSync(folder, { recursive: true }).filter((name) => String(name).endsWith(".tmp")).length;
  const isWhole = (): boolean => {
    const { events, problems: found } = importRun(folder);
    return found.length === 0 && events?.length === 400;
  };
  if (existsSync(join(folder, "summary.json.gz"))) {
    const { events, problems: found } = importRun(folder);
    if (found.length === 0 && events?.length !== 400) problems.push("half an export reads as whole");
  }
  const leftovers = drafts();
  await exportRun(store, "exported", { folder });
  if (!isWhole()) problems.push("the next export is not whole");
  if (drafts() > 0) problems.push("the next export left drafts");
  if ((await store.inspect("exported")).end !== 400) problems.push("the run itself lost events");
  await store.close();
  return { leftovers: Math.min(1, leftovers), problems };
}
