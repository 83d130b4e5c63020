import type { FileStore } from "@phasekit/ledger/node";
import { readdirSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import type { CommandContext } from "../command.ts";
import type { FoundLog } from "./find-logs.ts";

/** The folder of a project's own runs: the variable, the config, or the usual place. */
export async function ownRunsFolder({ env, cwd, config }: Pick<CommandContext, "env" | "cwd" | "config">): Promise<string> {
  const named = env["PHASEKIT_RUNS"];
  if (named !== undefined && named !== "") return resolve(cwd, named);
  const { config: { runs = ".phasekit/runs" }, folder } = await config();
  return resolve(folder, runs);
}

/** A store that is only read: not even a cached summary is written into it. */
export async function openStore(folder: string): Promise<FileStore> {
  // Loaded only here: most logs are of other tools.
  const { createFileStore, nodeFileSystem } = await import("@phasekit/ledger/node");
  const refuse = (): never => {
    throw new Error("this store is only read");
  };
  return createFileStore(folder, { files: { ...nodeFileSystem(), create: refuse, write: refuse, makeFolder: refuse, link: refuse, rename: refuse, remove: refuse } });
}

/** The runs kept in a store, the newest first. */
export async function ownRuns(folder: string): Promise<readonly FoundLog[]> {
  if (!isStore(folder)) return [];
  const summaries = await (await openStore(folder)).list({ limit: 10_000 });
  return summaries.map(({ run, updatedAt, task }) => ({ tool: "phasekit", title: "Phasekit", path: folder, name: run, run, updatedAt, bytes: 0, ...(task?.id !== undefined && { project: task.id }) }));
}

/** Whether a folder holds runs: one of its folders has a log with segments in it. */
export function isStore(folder: string): boolean {
  return namesIn(folder).some((name) => isRunFolder(join(folder, name)));
}

/** Whether a folder is one run of a store. */
export function isRunFolder(folder: string): boolean {
  return namesIn(join(folder, "log")).some((name) => name.endsWith(".jsonl"));
}

/** The store and the run of a folder that is one run. */
export async function runInFolder(folder: string): Promise<FoundLog | undefined> {
  const store = dirname(folder);
  const runs = await ownRuns(store);
  const name = basename(folder);
  return runs.find(({ run = "" }) => run === name) ?? (runs.length === 1 ? runs[0] : undefined);
}

/** Nothing for what is no folder, or may not be read. */
function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
