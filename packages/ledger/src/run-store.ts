import type { Reason, RunEvent } from "@phasekit/core";
import { valueChecks, upgradeEvent } from "@phasekit/core/adapter";
import { invalidStoreOption } from "./errors.ts";
import type { RunSummary } from "./summarize-run.ts";
import type { TerminalState } from "./state-of-run.ts";

/** Which runs to list; the newest first. */
export interface RunQuery {
  /** @default 100 */
  readonly limit?: number;
  readonly state?: TerminalState | readonly TerminalState[];
  readonly reason?: Reason;
  /** Runs that serve this work item. */
  readonly item?: string;
  /** Runs that this run started. */
  readonly parent?: string;
  /** Started at this time or later. */
  readonly since?: number;
  /** Started before this time. */
  readonly before?: number;
}

/**
 * Keeps the logs of runs: append-only, one writer per run, any number of readers. Every store passes
 * `describeRunStore`.
 */
export interface RunStore {
  /**
   * Appends one step or several, all or nothing; refuses when the log does not end at `after`.
   * @throws APPEND_CONFLICT, INVALID_APPEND
   */
  readonly append: (runId: string, events: readonly RunEvent[], options: { readonly after: number }) => Promise<void>;
  /**
   * The events after a sequence number as they were stored, in batches of whole appends. Empty when there is no such
   * run.
   */
  readonly read: (runId: string, options?: { readonly after?: number }) => AsyncIterable<readonly RunEvent[]>;
  /**
   * Summaries of the runs, the newest first.
   * @throws INVALID_OPTION for a query that cannot be answered
   */
  readonly list: (query?: RunQuery) => Promise<readonly RunSummary[]>;
  /** Like `read`, and then waits for more. It ends when the reader stops, or with the run's removal. */
  readonly tail?: (runId: string, options?: { readonly after?: number }) => AsyncIterable<readonly RunEvent[]>;
  /** Forgets a run. Removing what is not there is no mistake. */
  readonly remove?: (runId: string) => Promise<void>;
}

/**
 * Every event of a run, brought to today's shape whichever version wrote it.
 * @throws UNKNOWN_EVENT when a newer version wrote it
 */
export async function readRun(store: RunStore, runId: string): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const batch of store.read(runId)) for (const event of batch) events.push(upgradeEvent(event));
  return events;
}

function assertRunQuery({ limit, since, before }: RunQuery): void {
  for (const [option, time] of Object.entries({ since, before }))
    if (time !== undefined && !valueChecks.number(time)) throw invalidStoreOption(option, TIME);
  if (limit !== undefined && !(typeof limit === "number" && limit >= 0))
    throw invalidStoreOption("limit", "it must be a number that is not negative");
}

const TIME = "it must be a time in milliseconds since 1970";

/**
 * Filters, sorts and cuts summaries as a query asks. A store that reads them piece by piece asks this first, with none,
 * so that a query that cannot be answered is refused before anything is read.
 * @throws INVALID_OPTION
 */
export function applyRunQuery(summaries: readonly RunSummary[], query: RunQuery = {}): readonly RunSummary[] {
  assertRunQuery(query);
  return summaries
    .filter((summary) => matchesQuery(summary, query))
    .sort((a, b) => b.startedAt - a.startedAt || (a.run < b.run ? 1 : -1))
    .slice(0, query.limit ?? 100);
}

function matchesQuery(summary: RunSummary, { state, reason, item, parent, since, before }: RunQuery): boolean {
  return (
    (state === undefined || [state].flat().includes(summary.state)) &&
    (reason === undefined || summary.reason === reason) &&
    (item === undefined || summary.item?.id === item) &&
    (parent === undefined || summary.parent?.run === parent) &&
    (since === undefined || summary.startedAt >= since) &&
    (before === undefined || summary.startedAt < before)
  );
}
