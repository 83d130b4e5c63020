import { isPhasekitError } from "@phasekit/core";
import { canReadOpencodeStore, listOpencodeSessions, readOpencodeSession } from "@phasekit/transcripts/node";
import { execFileSync } from "node:child_process";
import { basename } from "node:path";
import type { FoundLog } from "./find-logs.ts";
import { statOf } from "./stat-of.ts";

/**
 * Returns the sessions in a database of opencode. Sub-agents belong to the session that started them. A database that
 * cannot be listed is one log: reading it says why.
 */
export function logsInStore(path: string, about: Pick<FoundLog, "tool" | "title">): readonly FoundLog[] {
  const file = statOf(path);
  if (file === undefined) return [];
  const whole = {
    ...about,
    path,
    name: path,
    session: "",
    ...file,
    updatedAt: Math.max(file.updatedAt, logTime(path)),
  };
  try {
    return listOpencodeSessions(path)
      .filter(({ parent }) => parent === undefined)
      .map(({ id, folder, updatedAt }) => ({
        ...about,
        path,
        name: id,
        session: id,
        updatedAt,
        bytes: 0,
        ...(folder !== "" && { project: basename(folder) }),
      }));
  } catch (error) {
    if (!isPhasekitError(error)) throw error;
    return [whole];
  }
}

/**
 * Reads a session of opencode as text in the shape of `opencode export`, then those of its sub-agents. Without a
 * session, and on a Node without SQLite, opencode itself exports the newest one.
 * @throws UNREADABLE_STORE
 */
export function* readStore(path: string, session: string): Generator<string, void, undefined> {
  if (session === "") {
    yield exportNewest(path);
    return;
  }
  yield* readOpencodeSession(path, session);
}

/** The ids of the sub-agents of a session, and of theirs. */
export function subSessions(path: string, session: string): readonly string[] {
  if (session === "") return [];
  // A sub-agent starts after the session that started it.
  const sessions = listOpencodeSessions(path).toSorted((a, b) => a.startedAt - b.startedAt);
  const below = [session];
  for (const { id, parent = "" } of sessions) if (below.includes(parent)) below.push(id);
  return below.slice(1);
}

/** opencode writes its recent changes to a file beside the database. */
function logTime(path: string): number {
  return statOf(`${path}-wal`)?.updatedAt ?? 0;
}

const EXPORT_MS = 60_000;

function exportNewest(path: string): string {
  try {
    if (canReadOpencodeStore()) throw new Error("The database is damaged.");
    const run = (...args: readonly string[]): string =>
      execFileSync("opencode", args, {
        encoding: "utf8",
        timeout: EXPORT_MS,
        maxBuffer: 1024 ** 3,
        stdio: ["ignore", "pipe", "ignore"],
        env: { ...process.env, OPENCODE_DB: path, OPENCODE_DISABLE_AUTOUPDATE: "1" },
      });
    const [newest] = JSON.parse(run("session", "list", "--format", "json", "--max-count", "1")) as readonly {
      readonly id: string;
    }[];
    return newest === undefined ? "" : run("export", newest.id);
  } catch {
    // Throws the error that says why the database cannot be read.
    listOpencodeSessions(path);
    return "";
  }
}
