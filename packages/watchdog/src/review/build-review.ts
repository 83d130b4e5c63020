import type { RunView } from "@phasekit/core";
import { phaseSpec } from "@phasekit/core/adapter";
import { findingsOf } from "../alert-text.ts";
import { analyzePattern } from "./analyze-pattern.ts";
import { createReviewLog, renderMessage, type ReviewLog, reviewState } from "./review-log.ts";

/** Additions to a review request. */
export interface ReviewContext {
  /** The reason for the request. @default the budget of the phase is used up */
  readonly why?: string;
  /** Turns the phase may take before a review. @default the phase's maxTurns */
  readonly budget?: number | undefined;
  /** Turns the phase has taken. @default the turns that began in it */
  readonly turns?: number;
  /** Verdicts "needs changes" in a row before this request. @default 0 */
  readonly streak?: number;
  /** A remark for the reviewer. */
  readonly remark?: string | undefined;
}

/** Characters of recent context: 2,000 tokens at four characters each. */
const CONTEXT = 8000;
/** The "needs changes" in a row from which the reviewer is warned. */
const WARN_AT = 3;

/**
 * The request for a review, as Markdown: where the run is, its task, what the numbers say, what happened last, and how
 * to answer. Every number comes from events. The recent context comes from the state of `budgetReview()`.
 */
export function buildReview(run: RunView, options: ReviewContext = {}): string {
  const { why, streak = 0, remark, turns = run.turnsInPhase } = options;
  const log = run.read(reviewState)?.log ?? createReviewLog();
  const spec = phaseSpec(run.graph, run.phase);
  const budget = options.budget ?? spec?.maxTurns;
  const { task } = run;
  const analysis = analyzePattern(log, findingsOf(run));
  const recent = newestWithin(log.messages, CONTEXT);
  const limit = budget === undefined ? "" : `; a review is due after every ${budget}`;
  const spent = `${run.entry.iterations} iterations and ${turns} turns in phase "${run.phase}"${limit}`;
  return [
    "# Review request",
    "",
    `${why ?? "The budget of the phase is used up."} The run has taken ${spent}. How should it continue?`,
    "",
    "## Task",
    "",
    `- Id: ${task?.id ?? "none"}`,
    `- Kind: ${task?.kind ?? "none"}`,
    "",
    task?.text ?? "No text.",
    "",
    "## Plan",
    "",
    log.plan === "" ? "None was declared." : log.plan,
    "",
    "## What the numbers say",
    "",
    analysis.text,
    "",
    `## Recent context (${recent.length} messages, newest last)`,
    "",
    "````",
    recent.join("\n"),
    "````",
    "",
    "## How to answer",
    "",
    ...(streak + 1 >= WARN_AT
      ? [
          `This would be the ${ordinal(streak + 1)} "needs changes" in a row. ` +
            "If the advice is not followed, prefer to reject.",
          "",
        ]
      : []),
    ...(remark === undefined ? [] : [remark, ""]),
    isPlanning(run) ? PLANNING : CODING,
    "",
    HOW,
  ].join("\n");
}

const PLANNING = `The agent explores and plans; it does not change anything yet. Look for:
- commands that cannot work in this phase, repeated: say so, and name what to use instead;
- many looks and no plan: ask for the plan, with what is known now;
- a finding above: examine the errors in the recent context and name their cause.`;

const CODING = `The agent changes code. Look for:
- tests or builds failing the same way: name the change that is missing;
- a missing dependency or tool: say how to get it, or what to do without it;
- a finding above: examine the errors in the recent context and name their cause.`;

const HOW = `Answer with one of: approve, needs-changes, reject. While something above is marked ALERT, an approval without guidance is not accepted. Give guidance in sentences of these forms:
- Stop doing X, because Y.
- X is unnecessary here, because Z.
- Use W instead.`;

/** Words in the names of phases in which nothing is changed. */
const PLANNING_WORDS = ["plan", "explor", "analy", "triage", "design"];

/** True if the phase is one in which nothing is changed. */
function isPlanning(run: RunView): boolean {
  const denied = phaseSpec(run.graph, run.phase)?.activities?.deny ?? [];
  const phase = run.phase.toLowerCase();
  return denied.some((activity) => activity === "edit") || PLANNING_WORDS.some((word) => phase.includes(word));
}

/** The newest messages that fit, whole, newest last. */
function newestWithin(messages: ReviewLog["messages"], characters: number): readonly string[] {
  const kept: string[] = [];
  let left = characters;
  for (const logged of messages.toReversed()) {
    const message = renderMessage(logged);
    left -= message.length;
    if (left < 0) break;
    kept.unshift(message);
  }
  return kept;
}

/** 1st, 2nd, 3rd, 4th, 11th, 21st … */
function ordinal(n: number): string {
  const tens = n % 100;
  const ending = tens >= 11 && tens <= 13 ? "th" : (["th", "st", "nd", "rd"][n % 10] ?? "th");
  return `${String(n)}${ending}`;
}
