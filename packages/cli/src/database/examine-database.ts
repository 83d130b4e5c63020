import { isPhasekitError } from "@phasekit/core";
import { migrate } from "@phasekit/postgres";
import type { Finding } from "../render/findings.ts";
import { duration, plural } from "../render/numbers.ts";
import type { OpenDatabase } from "./open-database.ts";

const OLDEST_SERVER = 14;
/** Reviews use the clock of the machine, leases and expiries that of the database, so the clocks must agree. */
const MAX_CLOCK_MS = 5000;

/** The row that the query below returns. */
interface ServerInfo {
  readonly version: string;
  readonly encoding: string;
  readonly readonly: string;
  readonly standby: boolean;
  readonly synchronous: string;
  readonly fsync: string;
  readonly limit: string;
  readonly used: string;
  readonly now: number;
}

/** Checks everything the stores rely on; changes nothing. */
export async function examineDatabase(
  { pool, schema, place }: OpenDatabase,
  now: () => number,
): Promise<readonly Finding[]> {
  const asked = now();
  const { rows } = await pool.query<ServerInfo>(`
    select current_setting('server_version') as version, current_setting('server_encoding') as encoding,
      current_setting('transaction_read_only') as readonly, pg_is_in_recovery() as standby,
      current_setting('synchronous_commit') as synchronous, current_setting('fsync') as fsync,
      current_setting('max_connections') as limit, (select count(*) from pg_stat_activity) as used,
      (extract(epoch from clock_timestamp()) * 1000)::float8 as now`);
  const [info] = rows;
  if (info === undefined) throw new Error("The server returned no row.");
  // The server read its clock at some point between the query and now.
  const apart = Math.max(0, asked - info.now, info.now - now());
  const isSupported = Number.parseInt(info.version, 10) >= OLDEST_SERVER;
  const canWrite = info.readonly === "off" && !info.standby;
  return [
    {
      what: "Server",
      verdict: isSupported ? "ok" : "problem",
      text: isSupported
        ? `PostgreSQL ${info.version} at ${place}`
        : `PostgreSQL ${info.version} at ${place}; requires ${String(OLDEST_SERVER)} or later`,
    },
    {
      what: "Writing",
      verdict: canWrite ? "ok" : "problem",
      text: canWrite
        ? "the database accepts writes"
        : info.standby
          ? "this is a standby; use the url of the primary"
          : "transactions are read-only",
    },
    canWrite
      ? await tablesFinding({ pool, schema })
      : { what: "Tables", verdict: "note", text: "not checked: the database does not accept writes" },
    {
      what: "Encoding",
      verdict: info.encoding === "UTF8" ? "ok" : "problem",
      text: info.encoding === "UTF8" ? "UTF8" : `${info.encoding}; Phasekit requires UTF8`,
    },
    durabilityFinding(info),
    {
      what: "Connections",
      verdict: Number(info.used) < 0.8 * Number(info.limit) ? "ok" : "problem",
      text: `${info.used} of ${info.limit} in use`,
    },
    {
      what: "Clock",
      verdict: apart <= MAX_CLOCK_MS ? "ok" : "problem",
      text:
        apart <= MAX_CLOCK_MS
          ? "in sync with this machine"
          : `${duration(apart)} off from this machine; expiries will be wrong`,
    },
  ];
}

async function tablesFinding({ pool, schema }: Pick<OpenDatabase, "pool" | "schema">): Promise<Finding> {
  try {
    const { version, applied } = await migrate(pool, { schema, dryRun: true });
    return applied.length === 0
      ? { what: "Tables", verdict: "ok", text: `version ${String(version)} in schema ${schema}` }
      : {
          what: "Tables",
          verdict: "problem",
          text: `${plural(applied.length, "migration")} pending; run \`phasekit db migrate\``,
        };
  } catch (error) {
    if (!isPhasekitError(error)) throw error;
    return { what: "Tables", verdict: "problem", text: error.message };
  }
}

/** Acknowledged writes must survive a crash of the server. */
function durabilityFinding({ synchronous, fsync }: ServerInfo): Finding {
  if (fsync === "off")
    return {
      what: "Durability",
      verdict: "problem",
      text: "fsync is off: a crash of the machine can corrupt the database",
    };
  if (synchronous === "off")
    return {
      what: "Durability",
      verdict: "problem",
      text: "synchronous_commit is off: a crash can lose acknowledged writes",
    };
  return { what: "Durability", verdict: "ok", text: `fsync on, synchronous_commit ${synchronous}` };
}
