import { phaseSpec, type RunView } from "@phasekit/core";
import { type ActivityLog, activityLogKey } from "./activity-log.ts";
import { analyzePattern } from "./analyze-pattern.ts";

/** What a review request may add to what the run knows. */
export interface BuildReviewOptions {
  /** Why it is asked for; by default the budget of the phase. */
  readonly why?: string;
  /** Turns the phase may take. @default the phase's maxTurns */
  readonly budget?: number;
  /** Tokens of recent context, at four characters each. @default 2000 */
  readonly tokens?: number;
  /** Verdicts "needs changes" in a row before this request. @default 0 */
  readonly streak?: number;
  /** From which of them on the reviewer is warned. @default 3 */
  readonly warnAt?: number;
  /** A remark for the reviewer. */
  readonly remark?: string;
  readonly log?: ActivityLog;
}

const NOTHING: ActivityLog = { messages: [], calls: [], plan: "", seen: 0 };

/**
 * The request for a review, as Markdown: where the run is, what it should do, what the numbers say, what happened last,
 * and how to answer. Every number comes from events. It reads the state of `activityLog()`.
 */
export function buildReview(run: RunView, options: BuildReviewOptions = {}): string {
  const { why, tokens = 2000, streak = 0, warnAt = 3, remark } = options;
  const log = options.log ?? run.read(activityLogKey) ?? NOTHING;
  const spec = phaseSpec(run.graph, run.phase);
  const budget = options.budget ?? spec?.maxTurns;
  const { task } = run;
  const analysis = analyzePattern(log, run.alerts.values());
  const recent = newestWithin(log.messages, tokens * 4);
  const spent = `${String(run.entry.iterations)} iterations and ${String(run.turnsInPhase)} turns${budget === undefined ? "" : ` of ${String(budget)}`} in phase "${run.phase}"`;
  return [
    "# Review request",
    "",
    `${why ?? "The budget of the phase is used up."} The run has taken ${spent}. How should it go on?`,
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
    `## Recent context (${String(recent.length)} messages, newest last)`,
    "",
    "````",
    recent.join("\n"),
    "````",
    "",
    "## How to answer",
    "",
    ...(streak + 1 >= warnAt ? [`This would be the ${ordinal(streak + 1)} "needs changes" in a row. If the advice is not followed, prefer to reject.`, ""] : []),
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

/** Whether the phase is one in which nothing is changed. */
function isPlanning(run: RunView): boolean {
  const denied = phaseSpec(run.graph, run.phase)?.activities?.deny ?? [];
  return denied.some((activity) => activity === "edit") || /plan|explor|analy|triage|design/i.test(run.phase);
}

/** The newest messages that fit, whole, newest last. */
function newestWithin(messages: readonly string[], characters: number): readonly string[] {
  const kept: string[] = [];
  let left = characters;
  for (const message of messages.toReversed()) {
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
