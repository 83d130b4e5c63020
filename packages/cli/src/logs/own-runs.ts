import type { FileStore } from "@phasekit/ledger/node";
import { readdirSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import type { CommandContext } from "../command.ts";
import { liveRoot } from "../live/install-folders.ts";
import type { FoundLog } from "./find-logs.ts";
import { logPlaces } from "./log-places.ts";

/** Returns the folder of own runs: PHASEKIT_RUNS, the config, or the default. */
export async function ownRunsFolder({
  env,
  cwd,
  config,
}: Pick<CommandContext, "env" | "cwd" | "config">): Promise<string> {
  const named = env["PHASEKIT_RUNS"];
  if (named !== undefined && named !== "") return resolve(cwd, named);
  const {
    config: { runs = ".phasekit/runs" },
    folder,
  } = await config();
  return resolve(folder, runs);
}

/** Opens a store read-only: it does not even write a cached summary. */
export async function openStore(folder: string): Promise<FileStore> {
  // Imported here because most logs are of other tools.
  const { createFileStore, nodeFileSystem } = await import("@phasekit/ledger/node");
  const refuse = (): never => {
    throw new Error("the store is open read-only");
  };
  return createFileStore(folder, {
    files: {
      ...nodeFileSystem(),
      create: refuse,
      write: refuse,
      makeFolder: refuse,
      link: refuse,
      rename: refuse,
      remove: refuse,
    },
  });
}

const MAX_LISTED = 10_000;

/** Returns the runs of a store, newest first. */
export async function ownRuns(folder: string): Promise<readonly FoundLog[]> {
  if (!isStore(folder)) return [];
  const summaries = await (await openStore(folder)).list({ limit: MAX_LISTED });
  return summaries.map((summary) => toFoundLog(folder, summary));
}

/** A run of a store, as a log. */
export function toFoundLog(
  store: string,
  { run, updatedAt, task, state, folder, parent }: Awaited<ReturnType<FileStore["list"]>>[number],
): FoundLog {
  return {
    tool: "phasekit",
    title: "Phasekit",
    ...(folder !== undefined && { folder }),
    path: store,
    name: run,
    run,
    ...(parent !== undefined && { parent: parent.run }),
    updatedAt,
    bytes: 0,
    isRunning: state === "running",
    ...(task?.id !== undefined && { project: task.id }),
  };
}

/** Returns the number of runs in a store that are too damaged to be listed. */
export async function damagedRuns(folder: string): Promise<number> {
  const stored = namesIn(folder).filter((name) => isRunFolder(join(folder, name))).length;
  return Math.max(0, Math.min(stored, MAX_LISTED) - (await ownRuns(folder)).length);
}

/** Returns the folder that live sessions inside agents are recorded in. */
export const liveRunsFolder = ({ env }: Pick<CommandContext, "env">): string => join(liveRoot(env), "runs");

/** Returns the runs of live sessions, newest first; none if they are in the folder of own runs. */
export async function liveRuns(around: Pick<CommandContext, "env" | "cwd" | "config">): Promise<readonly FoundLog[]> {
  const folder = liveRunsFolder(around);
  if (folder === (await ownRunsFolder(around))) return [];
  return (await ownRuns(folder)).map((log) => ({ ...log, title: liveTitle(log) ?? log.title }));
}

/** The name of the agent that a live run is of: its id begins with it, or that of the run that started it. */
export function liveTitle({ run = "", parent }: Pick<FoundLog, "run" | "parent">): string | undefined {
  return logPlaces({}).find(({ tool }) => [run, parent].some((id) => id?.startsWith(`${tool}-`)))?.title;
}

/** True if one of the folders inside is a run. */
export function isStore(folder: string): boolean {
  return namesIn(folder).some((name) => isRunFolder(join(folder, name)));
}

/** True if a folder is a run of a store. */
export function isRunFolder(folder: string): boolean {
  return namesIn(join(folder, "log")).some((name) => name.endsWith(".jsonl"));
}

/** Returns the run of a run folder. */
export async function runInFolder(folder: string): Promise<FoundLog | undefined> {
  const store = dirname(folder);
  const runs = await ownRuns(store);
  const name = basename(folder);
  return runs.find(({ run = "" }) => run === name) ?? (runs.length === 1 ? runs[0] : undefined);
}

/** Returns the names in a folder; none if it is missing or not readable. */
function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
