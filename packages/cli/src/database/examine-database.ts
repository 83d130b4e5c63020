import { isPhasekitError } from "@phasekit/core";
import { migrate } from "@phasekit/postgres";
import type { Finding } from "../render/findings.ts";
import { duration, plural } from "../render/numbers.ts";
import type { OpenDatabase } from "./open-database.ts";

const OLDEST_SERVER = 14;
/** Claims and waits carry the clock of the machine, leases that of the database: they should agree. */
const MAX_CLOCK_MS = 5000;

/** One row about the server, as it is asked for below. */
interface Facts {
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

/** Looks at everything the stores rely on; changes nothing. */
export async function examineDatabase({ pool, schema, place }: OpenDatabase, now: () => number): Promise<readonly Finding[]> {
  const asked = now();
  const { rows } = await pool.query<Facts>(`
    select current_setting('server_version') as version, current_setting('server_encoding') as encoding,
      current_setting('transaction_read_only') as readonly, pg_is_in_recovery() as standby,
      current_setting('synchronous_commit') as synchronous, current_setting('fsync') as fsync,
      current_setting('max_connections') as limit, (select count(*) from pg_stat_activity) as used,
      (extract(epoch from clock_timestamp()) * 1000)::float8 as now`);
  const [facts] = rows;
  if (facts === undefined) throw new Error("The server said nothing about itself.");
  // The answer was made somewhere between the question and now.
  const apart = Math.max(0, asked - facts.now, facts.now - now());
  const canWrite = facts.readonly === "off" && !facts.standby;
  return [
    { what: "Server", verdict: Number.parseInt(facts.version, 10) >= OLDEST_SERVER ? "ok" : "problem", text: `PostgreSQL ${facts.version} at ${place}${Number.parseInt(facts.version, 10) >= OLDEST_SERVER ? "" : `; ${String(OLDEST_SERVER)} or later is needed`}` },
    { what: "Writing", verdict: canWrite ? "ok" : "problem", text: canWrite ? "changes are taken" : facts.standby ? "a standby takes no changes; name the primary" : "transactions are read-only here" },
    canWrite ? await tablesFinding({ pool, schema }) : { what: "Tables", verdict: "note", text: "not looked at: nothing can be written" },
    { what: "Encoding", verdict: facts.encoding === "UTF8" ? "ok" : "problem", text: facts.encoding === "UTF8" ? "UTF8" : `${facts.encoding}; texts of agents need UTF8` },
    durabilityFinding(facts),
    { what: "Connections", verdict: Number(facts.used) < 0.8 * Number(facts.limit) ? "ok" : "problem", text: `${facts.used} of ${facts.limit} in use` },
    { what: "Clock", verdict: apart <= MAX_CLOCK_MS ? "ok" : "problem", text: apart <= MAX_CLOCK_MS ? "agrees with this machine" : `${duration(apart)} apart from this machine; waits and expiries will be off` },
  ];
}

async function tablesFinding({ pool, schema }: Pick<OpenDatabase, "pool" | "schema">): Promise<Finding> {
  try {
    const { version, applied } = await migrate(pool, { schema, dryRun: true });
    return applied.length === 0
      ? { what: "Tables", verdict: "ok", text: `version ${String(version)} in the schema ${schema}` }
      : { what: "Tables", verdict: "problem", text: `${plural(applied.length, "migration")} missing; run \`phasekit db migrate\`` };
  } catch (error) {
    if (!isPhasekitError(error)) throw error;
    return { what: "Tables", verdict: "problem", text: error.message };
  }
}

/** What was acknowledged must survive a crash of the server. */
function durabilityFinding({ synchronous, fsync }: Facts): Finding {
  if (fsync === "off") return { what: "Durability", verdict: "problem", text: "fsync is off: a crash of the machine can damage everything" };
  if (synchronous === "off") return { what: "Durability", verdict: "problem", text: "synchronous_commit is off: a crash can lose what was acknowledged" };
  return { what: "Durability", verdict: "ok", text: `fsync on, synchronous_commit ${synchronous}` };
}
