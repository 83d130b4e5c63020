import { type Reason, reasons } from "@phasekit/core";
import type { Blame } from "@phasekit/core/kit";
import type { RunSummary } from "@phasekit/ledger";
import type { GateRow } from "./gate-rows.ts";
import { duration, money, percent, plural, tokens } from "./number-text.ts";
import type { RunLine } from "./run-line.ts";
import type { SpendRow } from "./spend-rows.ts";
import type { Tone } from "./state-words.ts";

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

/** Answers what a reader asks first: did it finish, is it proven, where did time and tokens go? */
export function verdictOf(
  summary: RunSummary,
  {
    line,
    gates,
    spend,
  }: {
    readonly line: RunLine;
    readonly gates: readonly GateRow[];
    readonly spend: { readonly rows: readonly SpendRow[]; readonly total: SpendRow };
  },
): readonly VerdictAnswer[] {
  return [
    { question: "Did it finish?", ...finishedAnswer(summary) },
    { question: "Is it proven?", ...provenAnswer(summary, gates) },
    { question: "Where did time and tokens go?", ...spentAnswer(line, spend) },
  ];
}

type Answer = Omit<VerdictAnswer, "question">;

function finishedAnswer({ state, reason, phase }: RunSummary): Answer {
  if (state === "running") return { answer: "Not yet", tone: "plain", text: `It is working, in phase ${phase}.` };
  const text = endText(reason ?? "interrupted", phase);
  if (state === "clean" || state === "success") return { answer: "Yes", tone: "good", text };
  if (state === "partial") return { answer: "In part", tone: "fair", text };
  return { answer: "No", tone: "bad", text };
}

function endText(reason: Reason, phase: string): string {
  if (!Object.hasOwn(reasons, reason)) return `It ended in phase ${phase}. A later version knows why.`;
  const { text, blame } = reasons[reason];
  return `${text} ${CAUSES[blame]} It ended in phase ${phase} (${reason}).`.replace("  ", " ");
}

const GRADES: Readonly<Record<NonNullable<RunSummary["evidence"]>["grade"], Omit<Answer, "text">>> = {
  proven: { answer: "Proven", tone: "good" },
  supported: { answer: "Supported", tone: "fair" },
  claimed: { answer: "Claimed only", tone: "bad" },
  "not-needed": { answer: "Not needed", tone: "plain" },
};

function provenAnswer({ state, evidence }: RunSummary, gates: readonly GateRow[]): Answer {
  const rejections = lastByGate(gates).filter(({ verdict }) => verdict === "rejected" || verdict === "reject");
  if (rejections.length > 0)
    return {
      answer: "No",
      tone: "bad",
      text: rejections.map(({ gate, verdict, text }) => `${gate}: ${text ?? verdict}`).join(" "),
    };
  if (state === "running")
    return { answer: "Not yet", tone: "plain", text: "Gates are checked when the agent says it is done." };
  return evidence === undefined
    ? { answer: "No", tone: "bad", text: "The log ends before a gate was asked." }
    : { ...GRADES[evidence.grade], text: evidence.why };
}

/** A gate may be asked many times; its last verdict counts. */
function lastByGate(gates: readonly GateRow[]): readonly GateRow[] {
  return [...new Map(gates.map((row) => [row.gate, row])).values()];
}

function spentAnswer(
  line: RunLine,
  { rows }: { readonly rows: readonly SpendRow[]; readonly total: SpendRow },
): Answer {
  const sums = [
    duration(line.elapsed),
    line.tokens === undefined ? "tokens unknown" : `${tokens(line.tokens)} tokens`,
    ...(line.cost === undefined ? [] : [money(line.cost)]),
  ];
  const weigh = (row: SpendRow): number =>
    line.tokens === undefined ? row.elapsed : (row.inputTokens ?? 0) + (row.outputTokens ?? 0);
  const all = rows.reduce((sum, row) => sum + weigh(row), 0);
  const shares = rows
    .map((row) => ({ phase: row.phase, share: all === 0 ? 0 : weigh(row) / all }))
    .filter(({ share }) => share >= 0.05)
    .sort((a, b) => b.share - a.share)
    .slice(0, 3)
    .map(({ phase, share }) => `${phase} ${percent(share)}`);
  const wasted =
    line.wastedCalls === 0
      ? "No call failed or repeated."
      : `${String(line.wastedCalls)} of ${plural(line.calls, "call")} failed or brought nothing new.`;
  const unit = line.tokens === undefined ? "time" : "tokens";
  const waste = line.calls === 0 ? 0 : line.wastedCalls / line.calls;
  return {
    answer: sums.join(", "),
    tone: waste >= 0.5 ? "bad" : waste >= 0.2 ? "fair" : "plain",
    text: [...(shares.length === 0 ? [] : [`${shares.join(", ")} of the ${unit}.`]), wasted].join(" "),
  };
}
