import type * as Sqlite from "node:sqlite";
import type { SQLInputValue, StatementSync } from "node:sqlite";
import { newerStore, noSqlite } from "../errors.ts";
import { SCHEMA, SCHEMA_VERSION, UPGRADES } from "./schema.ts";

interface ConnectionOptions {
  readonly path: string;
  readonly busyTimeoutMs: number;
  readonly acknowledge: "disk" | "kernel";
}

/** An open SQLite file with today's schema. Prepares every statement once. */
export class SqliteConnection {
  readonly #database: Sqlite.DatabaseSync;
  readonly #prepared = new Map<string, StatementSync>();

  /** @throws NO_SQLITE, NEWER_STORE */
  constructor({ path, busyTimeoutMs, acknowledge }: ConnectionOptions) {
    // Loaded here and not imported, so that an older Node gets a clear error, and only if it uses this store.
    const sqlite = process.getBuiltinModule("node:sqlite") as typeof Sqlite | undefined;
    if (sqlite === undefined) throw noSqlite(process.version);
    this.#database = new sqlite.DatabaseSync(path, { timeout: busyTimeoutMs, enableForeignKeyConstraints: true });
    this.#database.exec(
      `pragma journal_mode = wal; pragma synchronous = ${acknowledge === "disk" ? "full" : "normal"};`,
    );
    this.transaction(() => {
      const version = Number(this.#statement("pragma user_version").get()?.["user_version"]);
      if (version > SCHEMA_VERSION) throw newerStore(version, SCHEMA_VERSION);
      const steps = version === 0 ? [SCHEMA] : UPGRADES.slice(version - 1);
      if (steps.length > 0) this.#database.exec(`${steps.join("\n")} pragma user_version = ${SCHEMA_VERSION};`);
    });
  }

  /** Returns the number of rows that changed. */
  run(sql: string, ...values: readonly SQLInputValue[]): number {
    return Number(this.#statement(sql).run(...values).changes);
  }

  rows(sql: string, ...values: readonly SQLInputValue[]) {
    return this.#statement(sql).all(...values);
  }

  /** The parsed `body` of every row. */
  bodies<T>(sql: string, ...values: readonly SQLInputValue[]): T[] {
    return this.rows(sql, ...values).map(({ body }) => JSON.parse(String(body)) as T);
  }

  /** Takes the write lock at the start, so that a running transaction cannot fail to get it. */
  transaction<T>(work: () => T): T {
    this.#database.exec("begin immediate");
    try {
      const answer = work();
      this.#database.exec("commit");
      return answer;
    } catch (error) {
      this.#database.exec("rollback");
      throw error;
    }
  }

  /** Runs several reads on one consistent snapshot. */
  reading<T>(work: () => T): T {
    this.#database.exec("begin");
    try {
      return work();
    } finally {
      this.#database.exec("commit");
    }
  }

  close(): void {
    this.#database.close();
  }

  #statement(sql: string): StatementSync {
    const known = this.#prepared.get(sql) ?? this.#database.prepare(sql);
    this.#prepared.set(sql, known);
    return known;
  }
}

/** True for a row that breaks a unique key or another constraint. */
export function isConstraint(error: unknown): boolean {
  // SQLITE_CONSTRAINT with any extended code.
  return typeof error === "object" && error !== null && "errcode" in error && (Number(error.errcode) & 0xff) === 19;
}
