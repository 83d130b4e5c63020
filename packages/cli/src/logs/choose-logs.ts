import { accessSync, constants, existsSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { basename, join, resolve } from "node:path";
import type { CommandContext } from "../command.ts";
import { cannotRead, emptyLog, noLogs, noSuchRun } from "../errors.ts";
import { factsOf, findLogs, type FoundLog, logsBelow, newestFirst } from "./find-logs.ts";
import { databaseRuns } from "../database/database-runs.ts";
import { logPlaces } from "./log-places.ts";
import { isRunFolder, isStore, ownRuns, ownRunsFolder, runInFolder } from "./own-runs.ts";

/** The logs an argument stands for, the newest first, and which run of a log with several is meant. */
export interface ChosenLogs {
  readonly logs: readonly FoundLog[];
  /** The part behind `#`: a number from 1, or the id of a run. */
  readonly part: string | undefined;
  /** How many logs of each tool were found, when no argument was given. */
  readonly found: ReadonlyMap<string, number>;
}

type Around = Pick<CommandContext, "env" | "cwd" | "config" | "database">;

/**
 * Finds the logs an argument stands for: a file, a folder, a run of our own by its id, a log by a part of its name;
 * without an argument, every log on this machine. With a database, only its runs.
 * @throws NO_LOGS, NO_SUCH_RUN, EMPTY_LOG, CANNOT_READ
 */
export async function chooseLogs(argument: string | undefined, around: Around): Promise<ChosenLogs> {
  if (around.database !== undefined) return { logs: await databaseRuns(argument, around.database), part: undefined, found: new Map() };
  if (argument === undefined) {
    const logs = await allLogs(around);
    if (logs.length === 0) throw noLogs(await placesText(around));
    return { logs, part: undefined, found: countByTitle(logs) };
  }
  const { path, part } = splitPart(argument, around.cwd);
  const place = resolve(around.cwd, expandHome(path));
  const there = await logsAt(place);
  if (there?.length === 0) throw emptyLog(place);
  const logs = there ?? (await logsNamed(path, around));
  if (logs.length === 0) throw noSuchRun(argument, await placesText(around));
  return { logs, part, found: new Map() };
}

/** Every log on this machine: of our own runs, of the tools we know, and where the config says. */
async function allLogs(around: Around): Promise<readonly FoundLog[]> {
  const { config: { logs: extra = [] }, folder } = await around.config();
  const [own, ...configured] = await Promise.all([
    ownRuns(await ownRunsFolder(around)),
    // A place of the config may be gone or closed today; the others are looked in all the same.
    ...extra.map(async (path) => (await logsAt(resolve(folder, expandHome(path))).catch(() => undefined)) ?? []),
  ]);
  const found = logPlaces(around.env).map(findLogs);
  return newestFirst([own, ...found, ...configured].flat());
}

/**
 * The logs at a path, none when it holds none; `undefined` when there is nothing.
 * @throws CANNOT_READ
 */
async function logsAt(path: string): Promise<readonly FoundLog[] | undefined> {
  const kind = kindOf(path);
  const facts = factsOf(path);
  if (facts !== undefined) return facts.bytes === 0 ? [] : [{ tool: "file", title: "file", path, name: path, ...facts }];
  if (kind !== "folder") return undefined;
  if (isStore(path)) return await ownRuns(path);
  if (isRunFolder(path)) {
    const run = await runInFolder(path);
    return run === undefined ? [] : [run];
  }
  // A project's folder stands for the runs kept in it.
  const kept = join(path, ".phasekit", "runs");
  return isStore(kept) ? await ownRuns(kept) : logsBelow(path);
}

async function logsNamed(name: string, around: Around): Promise<readonly FoundLog[]> {
  const logs = await allLogs(around);
  const exact = logs.filter(({ run }) => run === name);
  if (exact.length > 0 || name.length < 4) return exact;
  return logs.filter(({ run, path }) => run?.startsWith(name) === true || (run === undefined && basename(path).includes(name)));
}

/** A file may have a `#` in its name: then the name wins. */
function splitPart(argument: string, cwd: string): { readonly path: string; readonly part: string | undefined } {
  const at = argument.lastIndexOf("#");
  if (at <= 0 || existsSync(resolve(cwd, argument))) return { path: argument, part: undefined };
  return { path: argument.slice(0, at), part: argument.slice(at + 1) };
}

const expandHome = (path: string): string => (path === "~" || path.startsWith("~/") ? join(homedir(), path.slice(1)) : path);

/** What stands at a path, when it may be looked at. */
function kindOf(path: string): "folder" | "file" | undefined {
  try {
    if (!statSync(path).isDirectory()) return "file";
    accessSync(path, constants.R_OK);
    return "folder";
  } catch (error) {
    const { code = "", message } = error as NodeJS.ErrnoException;
    // A name that could never be one of a file may still be one of a run.
    if (["ENOENT", "ENOTDIR", "ENAMETOOLONG", "ERR_INVALID_ARG_VALUE"].includes(code)) return undefined;
    throw cannotRead(path, message);
  }
}

/** The places that are looked in, for people. */
async function placesText(around: Around): Promise<string> {
  const folders = [await ownRunsFolder(around), ...logPlaces(around.env).flatMap(({ folders }) => folders.slice(0, 1))];
  return folders.map((folder) => folder.replace(around.env["HOME"] ?? homedir(), "~")).join(", ");
}

function countByTitle(logs: readonly FoundLog[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { title } of logs) counts.set(title, (counts.get(title) ?? 0) + 1);
  return counts;
}
