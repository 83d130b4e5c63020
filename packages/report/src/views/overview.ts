import type { RunEvent } from "@phasekit/core";
import { explainReason, type RunSummary, type SummarizeOptions, summarizeRun, terminalState } from "@phasekit/ledger";
import { gateRows, type GateRow, type WaitingReview, waitingReviews } from "./gate-rows.ts";
import { type LoopRow, loopRows } from "./loop-rows.ts";
import { type NudgeRow, nudgeRows } from "./nudge-rows.ts";
import { type RunLine, runLine } from "./run-line.ts";
import { shownText } from "./shown-text.ts";
import { type SpendRow, spendRows } from "./spend-rows.ts";
import { type Timeline, timeline } from "./timeline.ts";

/** Everything a run's page shows above its list of events. */
export interface Overview {
  readonly line: RunLine;
  readonly phase: string;
  readonly mode: string;
  readonly attempt: number;
  /** Why it failed, in one word. */
  readonly failure?: string;
  /** What its end means and what to do about it. */
  readonly explanation: string;
  readonly error?: string;
  readonly timeline: Timeline;
  readonly loops: readonly LoopRow[];
  readonly nudges: readonly NudgeRow[];
  readonly gates: readonly GateRow[];
  readonly reviews: readonly WaitingReview[];
  readonly spend: { readonly rows: readonly SpendRow[]; readonly total: SpendRow };
}

/**
 * Reads a log into what a page shows: a pure function, so the same events always give the same page.
 *
 * @example
 * const { line, loops, spend } = overviewOf(await readRun(store, id));
 * @throws TypeError when the log does not begin with `run.started`
 */
export function overviewOf(events: readonly RunEvent[], options: SummarizeOptions = {}): Overview {
  const summary = summarizeRun(events, options);
  const { failure } = terminalState(summary);
  const error = summary.phases.at(-1)?.error?.message;
  return {
    line: runLine(summary, events),
    phase: summary.phase,
    mode: summary.mode,
    attempt: summary.attempt,
    ...(failure !== undefined && { failure }),
    explanation: explanationOf(summary),
    ...(error !== undefined && { error: shownText(error, 600) }),
    timeline: timeline(events, summary),
    loops: loopRows(events),
    nudges: nudgeRows(events),
    gates: gateRows(events),
    reviews: waitingReviews(events),
    spend: spendRows(summary),
  };
}

function explanationOf({ state, reason }: RunSummary): string {
  if (reason !== undefined) return explainReason(reason);
  return state === "running" ? "It is still working." : explainReason("interrupted");
}
