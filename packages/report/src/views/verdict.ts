import { type Blame, type Reason, reasons } from "@phasekit/core";
import type { RunSummary } from "@phasekit/ledger";
import { type RunStory, type Verification, verificationOf } from "@phasekit/ledger/story";
import type { GateRow } from "./gate-rows.ts";
import { costText, duration, percent, plural, tokens } from "./number-text.ts";
import type { RunLine } from "./run-line.ts";
import type { SpendRow } from "./spend-rows.ts";
import type { Tone } from "./state-words.ts";
import type { Timeline } from "./timeline.ts";

/** One of the three questions that the first screen answers. */
export interface VerdictAnswer {
  readonly question: string;
  /** One to four words. */
  readonly answer: string;
  readonly tone: Tone;
  /** One or two sentences that say why. */
  readonly text: string;
}

const CAUSES: Readonly<Record<Blame, string>> = {
  none: "",
  agent: "The agent caused it.",
  provider: "The model provider caused it.",
  host: "The host program caused it.",
  user: "A person decided it.",
  policy: "A policy ended the run.",
};

/** Answers what a reader asks first: did it finish, is it proven, where did time, tokens and money go? */
export function verdictOf(
  summary: RunSummary,
  {
    story,
    line,
    gates,
    spend,
    timeline,
  }: {
    readonly story: RunStory;
    readonly line: RunLine;
    readonly gates: readonly GateRow[];
    readonly spend: { readonly rows: readonly SpendRow[]; readonly total: SpendRow };
    readonly timeline: Pick<Timeline, "axis" | "length">;
  },
): readonly VerdictAnswer[] {
  return [
    { question: "Did it finish?", ...finishedAnswer(summary) },
    { question: "Is it proven?", ...provenAnswer(summary, { story, gates }) },
    { question: "Where did time, tokens and money go?", ...spentAnswer(line, { rows: spend.rows, timeline }) },
  ];
}

type Answer = Omit<VerdictAnswer, "question">;

function finishedAnswer({ state, reason, phase }: RunSummary): Answer {
  if (state === "running") return { answer: "Not yet", tone: "plain", text: `It is working, in phase ${phase}.` };
  const text = endText(reason ?? "interrupted", phase);
  if (state === "clean" || state === "success") return { answer: "Yes", tone: "good", text };
  if (reason === "done_unverified") return { answer: "The agent says so", tone: "fair", text };
  if (state === "partial") return { answer: "In part", tone: "fair", text };
  return { answer: "No", tone: "bad", text };
}

function endText(reason: Reason, phase: string): string {
  if (!Object.hasOwn(reasons, reason)) return `It ended in phase ${phase}. A later version knows why.`;
  const { text, blame } = reasons[reason];
  // The sentence about an unproven end names the agent already.
  const cause = reason === "done_unverified" ? "" : CAUSES[blame];
  return `${text} ${cause} It ended in phase ${phase} (${reason}).`.replace("  ", " ");
}

const VERDICTS: Readonly<Record<Verification["verdict"], Omit<Answer, "text">>> = {
  yes: { answer: "Yes", tone: "good" },
  weak: { answer: "Weakly: only looked at", tone: "fair" },
  no: { answer: "No", tone: "bad" },
  unneeded: { answer: "Not needed", tone: "plain" },
  unknown: { answer: "Unknown", tone: "fair" },
};

const GRADES: Readonly<Record<NonNullable<Verification["grade"]>, Omit<Answer, "text">>> = {
  proven: { answer: "Yes, proven", tone: "good" },
  supported: { answer: "Supported, not proven", tone: "fair" },
  weak: { answer: "Weakly: only looked at", tone: "fair" },
  claimed: { answer: "No, only claimed", tone: "bad" },
};

function provenAnswer(
  { state }: RunSummary,
  { story, gates }: { readonly story: RunStory; readonly gates: readonly GateRow[] },
): Answer {
  const rejections = lastByGate(gates).filter(({ verdict }) => verdict === "rejected" || verdict === "reject");
  if (rejections.length > 0)
    return {
      answer: "No",
      tone: "bad",
      text: rejections.map(({ gate, verdict, text }) => `${gate}: ${text ?? verdict}`).join(" "),
    };
  if (state === "running")
    return { answer: "Not yet", tone: "plain", text: "Gates are checked when the agent says it is done." };
  const { verdict, grade, text } = verificationOf(story);
  return { ...(grade === undefined ? VERDICTS[verdict] : GRADES[grade]), text: sentence(text) };
}

/** Makes a sentence of a text without a capital letter or a full stop. */
function sentence(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1).replace(/\.$/, "")}.`;
}

/** A gate may be asked many times; its last verdict counts. */
function lastByGate(gates: readonly GateRow[]): readonly GateRow[] {
  return [...new Map(gates.map((row) => [row.gate, row])).values()];
}

function spentAnswer(
  line: RunLine,
  { rows, timeline }: { readonly rows: readonly SpendRow[]; readonly timeline: Pick<Timeline, "axis" | "length"> },
): Answer {
  const isPriced = line.cost !== undefined || (line.unpricedCalls > 0 && line.tokens !== undefined);
  const sums = [
    line.elapsed === 0 ? "time unknown" : duration(line.elapsed),
    line.tokens === undefined ? "tokens unknown" : `${tokens(line.tokens)} tokens`,
    ...(isPriced ? [line.cost === undefined ? "cost unknown" : costText(line)] : []),
  ];
  const waste = line.calls === 0 ? 0 : line.wastedCalls / line.calls;
  return {
    answer: sums.join(" · "),
    tone: waste >= 0.5 ? "bad" : waste >= 0.2 ? "fair" : "plain",
    text: [...shareText(line, rows), ...activeText(line, timeline), ...boundText(line), wasteText(line)].join(" "),
  };
}

/** The phases with the most tokens, or time where tokens are unknown. */
function shareText(line: RunLine, rows: readonly SpendRow[]): readonly string[] {
  const unit = line.tokens === undefined ? "time" : "tokens";
  const weigh = (row: SpendRow): number =>
    unit === "time" ? row.elapsed : (row.inputTokens ?? 0) + (row.outputTokens ?? 0);
  const all = rows.reduce((sum, row) => sum + weigh(row), 0);
  const shares = rows
    .map((row) => ({ phase: row.phase, share: all === 0 ? 0 : weigh(row) / all }))
    .filter(({ share }) => share >= 0.05)
    .sort((a, b) => b.share - a.share)
    .slice(0, 3)
    .map(({ phase, share }) => `${phase} ${percent(share)}`);
  return shares.length === 0 ? [] : [`Most ${unit}: ${shares.join(", ")}.`];
}

/** Says how much of the time from start to end was active: an agent may wait for a person. */
function activeText({ elapsed }: RunLine, { axis, length }: Pick<Timeline, "axis" | "length">): readonly string[] {
  if (axis !== "time" || elapsed === 0 || length < elapsed * 1.25) return [];
  return [`Active for ${duration(elapsed)} of the ${duration(length)} from start to end.`];
}

function boundText({ cost, unpricedCalls }: RunLine): readonly string[] {
  if (cost === undefined || unpricedCalls === 0) return [];
  return [`The cost of ${plural(unpricedCalls, "model call")} is unknown.`];
}

function wasteText({ calls, wastedCalls }: RunLine): string {
  if (calls === 0) return "No tool was called.";
  if (wastedCalls === 0) return "No call was wasted.";
  return `${String(wastedCalls)} of ${plural(calls, "call")} brought nothing new.`;
}
