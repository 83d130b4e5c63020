import { type Client, type DatabaseOptions, guardPool, type Pool, quotedSchema } from "./database.ts";
import { changedMigration, newerSchema } from "./errors.ts";
import { initial } from "./migrations/0001-initial.ts";
import { workLeases } from "./migrations/0002-work-leases.ts";
import { codeAndText } from "./migrations/0003-code-and-text.ts";
import { withPatience } from "./patience.ts";

/** One step from a version of the tables to the next. A released one never changes. */
export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly sql: (schema: string) => string;
}

/** Migrations to apply, or applied. */
export interface MigrationReport {
  /** The version of the tables now. */
  readonly version: number;
  /** The migrations that were applied, or would be in a dry run. */
  readonly applied: readonly { readonly version: number; readonly name: string; readonly sql: string }[];
}

export interface MigrateOptions extends DatabaseOptions {
  /** Only say what would be done. @default false */
  readonly dryRun?: boolean;
  /** Rolls back what was begun. */
  readonly signal?: AbortSignal;
  /** Called before each migration. */
  readonly onStep?: (step: { readonly done: number; readonly total: number }) => void;
}

const MIGRATIONS: readonly Migration[] = [initial, workLeases, codeAndText];
/** The lock that all who migrate ask for: "phasekit" in ASCII. */
const LOCK = "8097855168846949748";

/**
 * Brings the tables to the version of this package. Any number of processes may do this at the same time: one does it,
 * the others wait and find it done. Call it when a process starts.
 *
 * @example
 * const pool = new Pool({ connectionString: process.env.DATABASE_URL });
 * await migrate(pool);
 * @throws NEWER_SCHEMA, CHANGED_MIGRATION, DATABASE_UNAVAILABLE, and the reason of an aborted `signal`
 */
export async function migrate(
  pool: Pool,
  { schema: name, dryRun = false, patienceMs = 30_000, signal, onStep }: MigrateOptions = {},
): Promise<MigrationReport> {
  const schema = quotedSchema(name);
  guardPool(pool);
  return withPatience(patienceMs, async () => {
    const client = await pool.connect();
    const ignore = (): void => undefined;
    client.on("error", ignore);
    let isSound = false;
    const abandon = (): void => {
      client.release(true);
    };
    // The server rolls back what a lost connection has begun, also while it waits for the others' turn.
    if (signal?.aborted === true) abandon();
    signal?.addEventListener("abort", abandon);
    try {
      // Waiting for the others' turn, or for a large index, must not end the migration.
      await client.query(
        `begin; set local statement_timeout = 0; set local lock_timeout = 0;
         set local idle_in_transaction_session_timeout = 0`,
      );
      const report = await migrateOn(client, { schema, dryRun, onStep });
      await client.query(dryRun ? "rollback" : "commit");
      isSound = true;
      return report;
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    } finally {
      signal?.removeEventListener("abort", abandon);
      // A connection in the middle of something is not given back, and may still fail later.
      if (isSound) client.off("error", ignore);
      if (signal?.aborted !== true) client.release(!isSound);
    }
  });
}

async function migrateOn(
  client: Client,
  { schema, dryRun, onStep }: Pick<MigrateOptions, "onStep"> & { readonly schema: string; readonly dryRun: boolean },
): Promise<MigrationReport> {
  await client.query({ text: "select pg_advisory_xact_lock($1)", values: [LOCK] });
  await client.query(`create schema if not exists ${schema}`);
  await client.query(
    `create table if not exists ${schema}.migration (
        version integer primary key, name text not null, checksum text not null,
        applied_at timestamptz not null default now())`,
  );
  const { rows } = await client.query(`select version, checksum from ${schema}.migration order by version`);
  const found = Number(rows.at(-1)?.["version"] ?? 0);
  const known = MIGRATIONS.at(-1)?.version ?? 0;
  if (found > known) throw newerSchema(found, known);
  const applied: MigrationReport["applied"][number][] = [];
  for (const [done, { version, name, sql }] of MIGRATIONS.entries()) {
    onStep?.({ done, total: MIGRATIONS.length });
    // The checksum does not depend on the name of the schema.
    const [row] = (
      await client.query({
        text: "select encode(sha256(convert_to($1, 'UTF8')), 'hex') as checksum",
        values: [sql("phasekit")],
      })
    ).rows;
    const before = rows.find((one) => Number(one["version"]) === version);
    if (before !== undefined) {
      if (before["checksum"] !== row?.["checksum"]) throw changedMigration(version, name);
      continue;
    }
    applied.push({ version, name, sql: sql(schema) });
    if (dryRun) continue;
    await client.query(sql(schema));
    await client.query({
      text: `insert into ${schema}.migration (version, name, checksum) values ($1, $2, $3)`,
      values: [version, name, row?.["checksum"]],
    });
  }
  return { version: dryRun ? found : known, applied };
}
