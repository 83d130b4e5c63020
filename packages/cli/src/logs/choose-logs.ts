import { accessSync, constants, existsSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { basename, join, resolve } from "node:path";
import type { CommandContext } from "../command.ts";
import { cannotRead, emptyLog, noLogs, noSuchRun } from "../errors.ts";
import { withHeads } from "../log-index/log-heads.ts";
import { findLogs, type FoundLog, logsBelow, newestFirst } from "./find-logs.ts";
import { statOf } from "./stat-of.ts";
import { databaseRuns } from "../database/database-runs.ts";
import { logPlaces } from "./log-places.ts";
import { shortId } from "../render/short-id.ts";
import { isStoreFile } from "./store-file.ts";
import { pairLiveRuns } from "./pair-live-runs.ts";
import { isRunFolder, isStore, liveRuns, liveRunsFolder, ownRuns, ownRunsFolder, runInFolder } from "./own-runs.ts";

/** The logs that match an argument, newest first, and the selected run in a log with several. */
export interface ChosenLogs {
  readonly logs: readonly FoundLog[];
  /** The part after `#`: a number from 1, or a run id. */
  readonly part: string | undefined;
  /** The number of logs per tool, if there was no argument. */
  readonly found: ReadonlyMap<string, number>;
}

type Around = Pick<CommandContext, "env" | "cwd" | "config" | "database" | "cacheFolder" | "index">;

/**
 * Finds the logs that match an argument: a file, a folder, the id of an own run or a part of a log's name. Without an
 * argument, every log on this machine. With a database, only its runs.
 * @throws NO_LOGS, NO_SUCH_RUN, EMPTY_LOG, CANNOT_READ
 */
export async function chooseLogs(argument: string | undefined, around: Around): Promise<ChosenLogs> {
  if (around.database !== undefined)
    return { logs: await databaseRuns(argument, around.database), part: undefined, found: new Map() };
  if (argument === undefined) {
    const logs = await allLogs(around);
    if (logs.length === 0) throw noLogs(await placesText(around));
    return { logs, part: undefined, found: countByTitle(logs) };
  }
  const { path, part } = splitPart(argument, around.cwd);
  const place = resolve(around.cwd, expandHome(path));
  const at = await logsAt(place);
  const there = at === undefined ? undefined : newestFirst(withHeads(at, around.cacheFolder));
  if (there?.length === 0) throw emptyLog(place);
  const logs = there ?? (await logsNamed(path, around));
  if (logs.length === 0 && part === undefined) {
    const known = await runInIndex(path, around);
    if (known !== undefined) return known;
  }
  if (logs.length === 0) throw noSuchRun(argument, "it is not a path, and no log on this machine has this name");
  return { logs, part, found: new Map() };
}

/** Returns every log on this machine: own runs, known tools, and the folders of the config. */
async function allLogs(around: Around): Promise<readonly FoundLog[]> {
  const {
    config: { logs: extra = [] },
    folder,
  } = await around.config();
  const [own, live, ...configured] = await Promise.all([
    ownRuns(await ownRunsFolder(around)),
    liveRuns(around),
    // Skip a folder of the config that is missing or not readable.
    ...extra.map(async (path) => (await logsAt(resolve(folder, expandHome(path))).catch(() => undefined)) ?? []),
  ]);
  const found = await Promise.all(logPlaces(around.env).map(findLogs));
  const logs = withHeads([own, ...found, ...configured].flat(), around.cacheFolder);
  return newestFirst(pairLiveRuns(live, logs));
}

/**
 * Returns the logs at a path, maybe none; `undefined` if the path does not exist.
 * @throws CANNOT_READ
 */
async function logsAt(path: string): Promise<readonly FoundLog[] | undefined> {
  const kind = kindOf(path);
  const file = statOf(path);
  if (file !== undefined && isStoreFile(path))
    return (await import("./store-logs.ts")).logsInStore(path, { tool: "opencode", title: "opencode" });
  if (file !== undefined) return file.bytes === 0 ? [] : [{ tool: "file", title: "file", path, name: path, ...file }];
  if (kind !== "folder") return undefined;
  if (isStore(path)) return await ownRuns(path);
  if (isRunFolder(path)) {
    const run = await runInFolder(path);
    return run === undefined ? [] : [run];
  }
  // A project folder means the runs stored in it.
  const kept = join(path, ".phasekit", "runs");
  return isStore(kept) ? await ownRuns(kept) : logsBelow(path);
}

async function logsNamed(name: string, around: Around): Promise<readonly FoundLog[]> {
  const logs = await allLogs(around);
  const exact = logs.filter(({ run, session }) => run === name || session === name);
  if (exact.length > 0 || name.length < 4) return exact;
  return logs.filter(
    ({ run, session, id, path, ownLog = run === undefined ? path : undefined }) =>
      run?.startsWith(name) === true || (ownLog !== undefined && (session || (id ?? basename(ownLog))).includes(name)),
  );
}

/** Finds a run that a list has printed, such as that of a sub-agent: no file is named after it. */
async function runInIndex(name: string, around: Around): Promise<ChosenLogs | undefined> {
  if (name.length < 4) return undefined;
  const index = await around.index();
  for (const log of await allLogs(around)) {
    const found = index.get(log)?.runs.find(({ about: { id } }) => id.startsWith(name) || shortId(id).startsWith(name));
    if (found !== undefined) return { logs: [log], part: found.about.id, found: new Map() };
  }
  return undefined;
}

/** Splits off the part after `#`, unless it belongs to the name of an existing file. */
function splitPart(argument: string, cwd: string): { readonly path: string; readonly part: string | undefined } {
  const at = argument.lastIndexOf("#");
  if (at <= 0 || existsSync(resolve(cwd, argument))) return { path: argument, part: undefined };
  return { path: argument.slice(0, at), part: argument.slice(at + 1) };
}

const expandHome = (path: string): string =>
  path === "~" || path.startsWith("~/") ? join(homedir(), path.slice(1)) : path;

/** Returns the kind of a path, if it is readable. */
function kindOf(path: string): "folder" | "file" | undefined {
  try {
    if (!statSync(path).isDirectory()) return "file";
    accessSync(path, constants.R_OK);
    return "folder";
  } catch (error) {
    const { code = "", message } = error as NodeJS.ErrnoException;
    // Not a valid path, but maybe a run id.
    if (["ENOENT", "ENOTDIR", "ENAMETOOLONG", "ERR_INVALID_ARG_VALUE"].includes(code)) return undefined;
    throw cannotRead(path, message);
  }
}

/** The searched folders, for display. */
async function placesText(around: Around): Promise<string> {
  const folders = [
    await ownRunsFolder(around),
    liveRunsFolder(around),
    ...logPlaces(around.env).flatMap(({ folders }) => folders.slice(0, 1)),
  ];
  return folders.map((folder) => folder.replace(around.env["HOME"] ?? homedir(), "~")).join(", ");
}

function countByTitle(logs: readonly FoundLog[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { title } of logs) counts.set(title, (counts.get(title) ?? 0) + 1);
  return counts;
}
