import { noLogs, noSuchRun } from "../errors.ts";
import type { FoundLog } from "../logs/find-logs.ts";
import type { OpenDatabase } from "./open-database.ts";

/** The newest runs that are looked through; older ones are found by their whole id. */
const MAX_LISTED = 1000;

/**
 * The runs of a database that an id, or its beginning, stands for, the newest first; without one, all of them.
 * @throws NO_LOGS, NO_SUCH_RUN
 */
export async function databaseRuns(argument: string | undefined, { runs, place }: Pick<OpenDatabase, "runs" | "place">): Promise<readonly FoundLog[]> {
  const found = (run: string, updatedAt: number): FoundLog => ({ tool: "phasekit", title: "Phasekit", path: place, name: run, run, updatedAt, bytes: 0, store: runs });
  if (argument !== undefined && (await runs.end(argument)) > 0) return [found(argument, 0)];
  const listed = await runs.list({ limit: MAX_LISTED });
  if (argument === undefined && listed.length === 0) throw noLogs(place);
  const wanted = argument === undefined ? listed : argument.length < 4 ? [] : listed.filter(({ run }) => run.startsWith(argument));
  if (wanted.length === 0) throw noSuchRun(argument ?? "", place);
  return wanted.map(({ run, updatedAt }) => found(run, updatedAt));
}
