import type * as Sqlite from "node:sqlite";
import { unreadableStore } from "../errors.ts";

/** A session in the store of opencode. */
export interface OpencodeSession {
  readonly id: string;
  /** The folder the agent worked in. */
  readonly folder: string;
  /** The session that started this one as a sub-agent. */
  readonly parent?: string;
  readonly startedAt: number;
  readonly updatedAt: number;
}

/** True if this Node can read the store of opencode: 22.13 or newer. */
export function canReadOpencodeStore(): boolean {
  return sqliteModule() !== undefined;
}

/**
 * Lists the sessions in the store of opencode (`opencode.db`), newest first. Reads nothing but sessions, messages and
 * their parts.
 * @throws UNREADABLE_STORE
 */
export function listOpencodeSessions(path: string): readonly OpencodeSession[] {
  return withStore(path, (database) =>
    database
      .prepare("select id, directory, parent_id, time_created, time_updated from session order by time_updated desc")
      .all()
      .map(({ id, directory, parent_id: parent, time_created: created, time_updated: updated }) => ({
        id: String(id),
        folder: String(directory ?? ""),
        startedAt: Number(created),
        updatedAt: Number(updated),
        ...(typeof parent === "string" && { parent }),
      })),
  );
}

/**
 * Returns a session of the store as text, message by message, in the shape of `opencode export`.
 * @throws UNREADABLE_STORE
 */
export function* readOpencodeSession(path: string, session: string): Generator<string, void, undefined> {
  const database = openStore(path);
  try {
    const [info] = attempt(path, () =>
      database.prepare("select id, directory, parent_id, version, time_created from session where id = ?").all(session),
    );
    if (info === undefined) throw unreadableStore(path, `it has no session "${session}"`);
    yield `{"info":${JSON.stringify({
      id: info["id"],
      directory: info["directory"],
      ...(info["parent_id"] !== null && { parentID: info["parent_id"] }),
      version: info["version"],
      time: { created: info["time_created"] },
    })},"messages":[`;
    const parts = attempt(path, () => database.prepare("select data from part where message_id = ? order by id"));
    let separator = "";
    for (const { id, data } of attempt(path, () =>
      database.prepare("select id, data from message where session_id = ? order by time_created, id").all(session),
    )) {
      const texts = parts.all(String(id)).map((part) => String(part["data"]));
      yield `${separator}{"info":${String(data)},"parts":[${texts.join(",")}]}`;
      separator = ",";
    }
    yield "]}";
  } finally {
    database.close();
  }
}

function withStore<T>(path: string, read: (database: Sqlite.DatabaseSync) => T): T {
  const database = openStore(path);
  try {
    return attempt(path, () => read(database));
  } finally {
    database.close();
  }
}

function openStore(path: string): Sqlite.DatabaseSync {
  const sqlite = sqliteModule();
  if (sqlite === undefined)
    throw unreadableStore(path, `Node ${process.version} has no SQLite; Phasekit needs Node 22.13 or newer for it`);
  return attempt(path, () => new sqlite.DatabaseSync(path, { readOnly: true, timeout: 2000 }));
}

/** The store may be damaged, locked, or of a version with other tables. */
function attempt<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw unreadableStore(path, error instanceof Error ? error.message : String(error), error);
  }
}

/** Loaded late: older versions of Node do not have it, and some print a warning when it is loaded. */
function sqliteModule(): typeof Sqlite | undefined {
  const warnings = Object.getOwnPropertyDescriptor(process, "emitWarning");
  process.emitWarning = () => undefined;
  try {
    return process.getBuiltinModule("node:sqlite");
  } finally {
    if (warnings !== undefined) Object.defineProperty(process, "emitWarning", warnings);
  }
}
