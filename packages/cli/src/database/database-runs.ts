import { noLogs, noSuchRun } from "../errors.ts";
import type { FoundLog } from "../logs/find-logs.ts";
import type { OpenDatabase } from "./open-database.ts";

/** Only the newest runs match by the start of their id; older ones need the whole id. */
const MAX_MATCHED = 1000;
/** As many as in a folder: `check` gates every run. */
const MAX_LISTED = 10_000;

/**
 * Returns the runs of a database that match an id or the start of one, newest first; without an argument, all.
 * @throws NO_LOGS, NO_SUCH_RUN
 */
export async function databaseRuns(
  argument: string | undefined,
  { runs, place }: Pick<OpenDatabase, "runs" | "place">,
): Promise<readonly FoundLog[]> {
  const found = (run: string, updatedAt: number): FoundLog => ({
    tool: "phasekit",
    title: "Phasekit",
    path: place,
    name: run,
    run,
    updatedAt,
    bytes: 0,
    store: runs,
  });
  if (argument !== undefined && (await runs.end(argument)) > 0) return [found(argument, 0)];
  const listed = await runs.list({ limit: argument === undefined ? MAX_LISTED : MAX_MATCHED });
  if (argument === undefined && listed.length === 0) throw noLogs(place, "database");
  const wanted =
    argument === undefined ? listed : argument.length < 4 ? [] : listed.filter(({ run }) => run.startsWith(argument));
  if (wanted.length === 0)
    throw noSuchRun(argument ?? "", `no run in the database at ${place} has this id`, "database");
  return wanted.map(({ run, updatedAt }) => found(run, updatedAt));
}
