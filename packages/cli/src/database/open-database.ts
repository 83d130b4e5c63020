import { isPhasekitError } from "@phasekit/core";
import type { PostgresReviewInbox, PostgresRunStore } from "@phasekit/postgres";
import type { WorkStore } from "@phasekit/contracts";
import type { Pool } from "pg";
import { noDatabase, noTables } from "../errors.ts";
import type { DatabaseChoice } from "./choose-database.ts";

/** A database that answers, and what is kept in it. */
export interface OpenDatabase {
  readonly pool: Pool;
  readonly schema: string;
  /** Its address without names and passwords, for people. */
  readonly place: string;
  readonly runs: PostgresRunStore;
  readonly work: WorkStore;
  /** Where people's answers to reviews wait for the agents. */
  readonly reviews: PostgresReviewInbox;
}

/** A person who waits for an answer wants to know soon. */
const CONNECT_MS = 5000;
const PATIENCE_MS = 5000;
/** No question takes this long; one that does is stuck behind somebody's lock. */
const STATEMENT_MS = 30_000;
/** No such table, no such schema, no such function. */
const NO_TABLES: ReadonlySet<unknown> = new Set(["42P01", "3F000", "42883"]);

/**
 * Works with a database and lets go of it. The driver is loaded here, so that commands without a database do not pay for it.
 * @throws NO_DATABASE, NO_TABLES
 */
export async function useDatabase<T>({ url, place, schema }: DatabaseChoice, work: (database: OpenDatabase) => Promise<T>): Promise<T> {
  const [{ Pool: PgPool }, { postgresReviewInbox, postgresRunStore, postgresWorkStore }] = await Promise.all([import("pg"), import("@phasekit/postgres")]);
  const pool = new PgPool({ connectionString: url, max: 4, connectionTimeoutMillis: CONNECT_MS, statement_timeout: STATEMENT_MS, idle_in_transaction_session_timeout: STATEMENT_MS, application_name: "phasekit" });
  try {
    const options = { schema, patienceMs: PATIENCE_MS };
    const database = { pool, schema, place, runs: postgresRunStore(pool, options), work: postgresWorkStore(pool, options), reviews: postgresReviewInbox(pool, options) };
    // Whatever is wrong with the address is found before anything is printed.
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
  // What the server itself refuses, such as a role without rights, has a code of five characters.
  return typeof error.code === "string" && /^[0-9A-Z]{5}$/.test(error.code) ? noDatabase(place, error.message, error) : error;
}

/** A failure to connect to several addresses has no message of its own. */
function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.message !== "") return error.message;
  return "code" in error ? String(error.code) : error.name;
}
