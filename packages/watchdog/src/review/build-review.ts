import type { RunView } from "@phasekit/core";
import { phaseSpec } from "@phasekit/core/adapter";
import { findingsOf } from "../alert-text.ts";
import { analyzePattern, type PatternAnalysis } from "./analyze-pattern.ts";
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
  /** The "needs changes" in a row from which the reviewer is warned. @default 3 */
  readonly warnAt?: number;
  /** A remark for the reviewer. */
  readonly remark?: string | undefined;
  /** The text of the request. @default as Markdown */
  readonly text?: ((request: ReviewRequest) => string) | undefined;
}

/** A review request in parts, for a text of your own. Every number comes from events. */
export interface ReviewRequest {
  /** The reason for the request. */
  readonly why: string;
  readonly phase: string;
  /** Turns and iterations the phase entry has taken. */
  readonly turns: number;
  readonly iterations: number;
  /** Turns after which a review is due. */
  readonly budget: number | undefined;
  readonly task: RunView["task"];
  /** The plan; empty if none was declared. */
  readonly plan: string;
  readonly analysis: PatternAnalysis;
  /** The newest messages and results that fit, oldest first. */
  readonly recent: readonly string[];
  /** The limit for the recent context, in characters; about four are a token. */
  readonly characters: number;
  /** Verdicts "needs changes" in a row before this request. */
  readonly streak: number;
  /** The last part of the request: where to look, and how to answer. */
  readonly instructions: string;
  /** The text that is sent by default. */
  readonly text: string;
}

/** Verdicts "needs changes" in a row from which the reviewer is warned. */
export const WARN_AT = 3;
/** Characters of a token, for the reader of a request. */
const TOKEN = 4;

/**
 * The request for a review, as Markdown: where the run is, its task, what the numbers say, what happened last, and how
 * to answer. The recent context and its limits come from the state of `budgetReview()`.
 */
export function buildReview(run: RunView, options: ReviewContext = {}): string {
  const { why = "The budget of the phase is used up.", streak = 0, turns = run.turnsInPhase, text } = options;
  const log = run.read(reviewState)?.log ?? createReviewLog();
  const { window, characters } = log.limits;
  const request = {
    why,
    phase: run.phase,
    turns,
    iterations: run.entry.iterations,
    budget: options.budget ?? phaseSpec(run.graph, run.phase)?.maxTurns,
    task: run.task,
    plan: log.plan,
    analysis: analyzePattern(log.calls, { window, alerts: findingsOf(run), messages: log.seen }),
    recent: newestWithin(log.messages, characters),
    characters,
    streak,
    instructions: instructionsFor(run, options),
  };
  const usual = renderRequest(request);
  return text?.({ ...request, text: usual }) ?? usual;
}

function renderRequest(request: Omit<ReviewRequest, "text">): string {
  const { why, phase, turns, iterations, budget, task, plan, analysis, recent, characters, instructions } = request;
  const limit = budget === undefined ? "" : `; a review is due after every ${budget}`;
  const spent = `${iterations} iterations and ${turns} turns in phase "${phase}"${limit}`;
  const tokens = Math.round(characters / TOKEN);
  return [
    "# Review request",
    "",
    `${why} The run has taken ${spent}. How should it continue?`,
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
    plan === "" ? "None was declared." : plan,
    "",
    "## What the numbers say",
    "",
    analysis.text,
    "",
    `## Recent context (${recent.length} messages, newest last; ` +
      `at most ${characters} characters, about ${tokens} tokens)`,
    "",
    "````",
    recent.join("\n"),
    "````",
    "",
    "## How to answer",
    "",
    instructions,
  ].join("\n");
}

function instructionsFor(run: RunView, { streak = 0, warnAt = WARN_AT, remark }: ReviewContext): string {
  const warning =
    `This would be the ${ordinal(streak + 1)} "needs changes" in a row. ` +
    "If the advice is not followed, prefer to reject.";
  return [
    ...(streak + 1 >= warnAt ? [warning, ""] : []),
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

const HOW = `Answer with one of: approve, needs-changes, reject. While something above is marked ALERT, an approval without guidance is not accepted, and praise is not guidance. Give guidance in sentences of these forms:
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
