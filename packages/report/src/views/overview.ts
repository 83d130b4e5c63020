import { isPhasekitError, type RunEvent } from "@phasekit/core";
import { upgradeEvent } from "@phasekit/core/adapter";
import { type RunSummary, type SummarizeOptions, summarizeRun, terminalState } from "@phasekit/ledger";
import { unreadableRun } from "../errors.ts";
import { type PhaseShare, type RunStory, storyOf, words } from "@phasekit/ledger/story";
import { type ChildRow, childRows } from "./child-rows.ts";
import { gateRows, type GateRow, type WaitingReview, waitingReviews } from "./gate-rows.ts";
import { type LoopRow, loopRows } from "./loop-rows.ts";
import { type NudgeRow, nudgeRows } from "./nudge-rows.ts";
import { readableEvent, unknownReason } from "./readable-event.ts";
import { type RunLine, runLine } from "./run-line.ts";
import { shownText } from "./shown-text.ts";
import { type Timeline, timeline } from "./timeline.ts";
import { verdictOf, type VerdictAnswer } from "./verdict.ts";

/** The cost of all entries of one phase, or of the whole run. Absent members are unknown. */
export type SpendRow = Omit<PhaseShare, "share" | "shareOf">;

/** Everything the page of a run shows above the event list. */
export interface Overview {
  /** The story of the run, as every other output tells it. */
  readonly story: RunStory;
  readonly line: RunLine;
  readonly phase: string;
  readonly mode: string;
  readonly attempt: number;
  /** Why the run failed, in one word. */
  readonly failure?: string;
  /** The answers to the first three questions of a reader. */
  readonly verdict: readonly VerdictAnswer[];
  readonly error?: string;
  readonly timeline: Timeline;
  readonly loops: readonly LoopRow[];
  readonly nudges: readonly NudgeRow[];
  readonly gates: readonly GateRow[];
  /** The sub-agents that the run started. */
  readonly children: readonly ChildRow[];
  readonly reviews: readonly WaitingReview[];
  /** Cost and waste by phase, and in all. */
  readonly spend: { readonly rows: readonly SpendRow[]; readonly total: SpendRow };
  /** The source of the prices behind the cost; absent if the log reports the cost itself. */
  readonly prices?: string;
}

/**
 * Converts a log to the data of its page. Pure: the same events always give the same overview.
 *
 * @example
 * const { line, loops, spend } = overviewOf(await readRun(store, id));
 * @throws TypeError if the log does not start with `run.started`
 * @throws UNREADABLE_RUN if its events contradict each other
 */
export function overviewOf(log: readonly RunEvent[], options: SummarizeOptions = {}): Overview {
  // Events of a later version appear only in the event list.
  const events = log.map(readableEvent).filter(isKnown);
  const summary = summarized(events, options);
  const strange = unknownReason(log);
  const { failure } = terminalState(summary);
  const error = summary.phases.at(-1)?.error?.message;
  const story = storyOf(events, options);
  // A run in progress has no record of its open entry yet; its row counts it as if it ended now.
  const line = runLine(summary.state === "running" ? summarized(events, {}) : summary, story);
  const gates = gateRows(events);
  const axis = timeline(events, summary);
  return {
    story,
    line: { ...line, ...(strange !== undefined && { reason: shownText(strange, 60), word: shownText(strange, 60) }) },
    verdict: verdictOf(story, { gates, timeline: axis }),
    phase: summary.phase,
    mode: summary.mode,
    attempt: summary.attempt,
    ...(failure !== undefined && { failure }),
    ...(error !== undefined && error !== "" && { error: shownText(error, 600) }),
    timeline: axis,
    loops: loopRows(story, events),
    nudges: nudgeRows(events),
    gates,
    children: childRows(events),
    reviews: waitingReviews(events),
    spend: { rows: story.phases, total: totalOf(story) },
  };
}

/** The whole run as a row: the numbers of its story. */
function totalOf(story: RunStory): SpendRow {
  const { turns, calls, failedCalls, wasted, elapsedMs, usage, tokens, phases } = story;
  const { inputTokens, outputTokens, cachedInputTokens } = usage;
  return {
    phase: "all",
    entries: phases.reduce((sum, { entries }) => sum + entries, 0),
    ...{ turns, calls, failedCalls, elapsedMs, wastedCalls: wasted.calls },
    ...(inputTokens !== undefined && { inputTokens }),
    ...(cachedInputTokens !== undefined && { cachedTokens: cachedInputTokens }),
    ...(outputTokens !== undefined && { outputTokens }),
    ...(tokens !== undefined && { tokens }),
    ...words.knownCost(usage),
  };
}

function isKnown(event: RunEvent): boolean {
  try {
    upgradeEvent(event);
    return true;
  } catch {
    return false;
  }
}

/** Converts errors about a contradictory log to UNREADABLE_RUN. */
function summarized(events: readonly RunEvent[], options: SummarizeOptions): RunSummary {
  if (events[0]?.type !== "run.started") return summarizeRun(events, options);
  try {
    return summarizeRun(events, options);
  } catch (error) {
    throw isPhasekitError(error) ? error : unreadableRun(events[0].run, error);
  }
}
