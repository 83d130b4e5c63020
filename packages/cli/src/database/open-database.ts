import { isPhasekitError } from "@phasekit/core";
import type { PostgresReviewInbox, PostgresRunStore } from "@phasekit/postgres";
import type { WorkStore } from "@phasekit/contracts";
import type { Pool } from "pg";
import { noDatabase, noTables } from "../errors.ts";
import type { DatabaseChoice } from "./choose-database.ts";

/** An open database and its stores. */
export interface OpenDatabase {
  readonly pool: Pool;
  readonly schema: string;
  /** The url without user and password, for display. */
  readonly place: string;
  readonly runs: PostgresRunStore;
  readonly work: WorkStore;
  /** The inbox for answers to reviews. */
  readonly reviews: PostgresReviewInbox;
}

/** Short, because a person is waiting. */
const CONNECT_MS = 5000;
const PATIENCE_MS = 5000;
/** No query takes this long unless it waits for a lock. */
const STATEMENT_MS = 30_000;
/** SQL states: undefined table, schema, function. */
const NO_TABLES: ReadonlySet<unknown> = new Set(["42P01", "3F000", "42883"]);

/**
 * Opens a database, calls `work` and closes the database. The driver is imported here, so that other commands start
 * faster.
 * @throws NO_DATABASE, NO_TABLES
 */
export async function useDatabase<T>(
  { url, place, schema, reviewSecret }: DatabaseChoice,
  work: (database: OpenDatabase) => Promise<T>,
): Promise<T> {
  const [{ Pool: PgPool }, { createPostgresReviewInbox, createPostgresRunStore, createPostgresWorkStore }] =
    await Promise.all([import("pg"), import("@phasekit/postgres")]);
  const pool = new PgPool({
    connectionString: url,
    max: 4,
    connectionTimeoutMillis: CONNECT_MS,
    statement_timeout: STATEMENT_MS,
    idle_in_transaction_session_timeout: STATEMENT_MS,
    application_name: "phasekit",
  });
  try {
    const options = { schema, patienceMs: PATIENCE_MS };
    const database = {
      pool,
      schema,
      place,
      runs: createPostgresRunStore(pool, options),
      work: createPostgresWorkStore(pool, options),
      reviews: createPostgresReviewInbox(pool, {
        ...options,
        ...(reviewSecret !== undefined && { secret: reviewSecret }),
      }),
    };
    // Fail on a wrong url before anything is printed.
    await pool.query("select 1").catch((error: unknown) => {
      throw noDatabase(place, textOf(error), error);
    });
    return await work(database);
  } catch (error) {
    throw explained(error, { place, schema });
  } finally {
    await pool.end();
  }
}

function explained(error: unknown, { place, schema }: { readonly place: string; readonly schema: string }): unknown {
  if (isPhasekitError(error, "DATABASE_UNAVAILABLE")) return noDatabase(place, textOf(error.cause), error);
  if (isPhasekitError(error) || !(error instanceof Error) || !("code" in error)) return error;
  if (NO_TABLES.has(error.code)) return noTables(place, schema);
  // Errors of the server, such as missing rights, have an SQL state of five characters.
  return typeof error.code === "string" && /^[0-9A-Z]{5}$/.test(error.code)
    ? noDatabase(place, error.message, error)
    : error;
}

/** An error about several addresses has an empty message. */
function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.message !== "") return error.message;
  return "code" in error ? String(error.code) : error.name;
}
