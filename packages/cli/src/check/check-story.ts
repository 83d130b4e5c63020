import { type RunEnd, type RunStory, verificationOf, words } from "@phasekit/ledger/story";
import { clause } from "../clean-text.ts";
import { count, tokens } from "../render/numbers.ts";

/** The result of one gate. `text` may contain foreign text. */
export interface GateResult {
  readonly gate: string;
  /** UNKNOWN: the log lacks the data. It does not fail the check. */
  readonly verdict: "PASS" | "FAIL" | "WAIVED" | "UNKNOWN";
  readonly text: string;
}

/** The grades `phasekit check --evidence` takes. */
export const evidenceLimits = ["proven", "supported", "weak"] as const;
type EvidenceLimit = (typeof evidenceLimits)[number];

/** Options for `checkStory()`. */
export interface CheckOptions {
  readonly without?: readonly string[];
  readonly waived?: readonly string[];
  /** The end in words, if the log adds to it. @default that of the story */
  readonly end?: RunEnd;
  /** The lowest grade that passes the gate `verified`. @default "supported" */
  readonly evidence?: EvidenceLimit | undefined;
  readonly maxTurns?: number | undefined;
  readonly maxTokens?: number | undefined;
  readonly maxWastedCalls?: number | undefined;
}

type Gate = (story: RunStory, options: CheckOptions) => Omit<GateResult, "gate"> | undefined;

/** The reasons of a run that finished by itself. */
const FINISHED: ReadonlySet<string> = new Set(["done", "done_unverified", "advanced"]);

const gates: Readonly<Record<string, Gate>> = {
  finished: (story, { end = words.endingOf(story) }) => ({
    verdict: FINISHED.has(end.live ? "" : (story.reason ?? "")) ? "PASS" : "FAIL",
    text: end.text,
  }),
  verified: (story, { evidence }) => {
    const verification = verificationOf(story);
    const { verdict, grade } = verification;
    const why = `${words.verdictText(verification)}: ${clause(verification.text)}`;
    const text = story.missed.length === 0 ? why : [`${why}.`, ...story.missed].join(" ");
    if (verdict === "unknown" && evidence === undefined) return { verdict: "UNKNOWN", text };
    if (verdict === "no" || verdict === "unknown") return { verdict: "FAIL", text };
    const limit = evidence ?? "supported";
    const isLower =
      grade !== undefined && grade !== "claimed" && evidenceLimits.indexOf(grade) > evidenceLimits.indexOf(limit);
    return isLower ? { verdict: "FAIL", text: `${text} (required: ${limit})` } : { verdict: "PASS", text };
  },
  "no-loop": ({ loops }) => {
    const open = loops.find((loop) => loop.open);
    return open === undefined
      ? { verdict: "PASS", text: "the run did not end in a loop" }
      : {
          verdict: "FAIL",
          text: `the run ended in a loop: ${words.loopText(open)}`,
        };
  },
  "max-turns": ({ turns }, { maxTurns }) => limit(turns, maxTurns, count),
  "max-tokens": ({ tokens: used }, { maxTokens }) =>
    maxTokens !== undefined && used === undefined
      ? { verdict: "UNKNOWN", text: "the log does not record token usage" }
      : limit(used ?? 0, maxTokens, tokens),
  "max-wasted": ({ wasted }, { maxWastedCalls }) => limit(wasted.calls, maxWastedCalls, count),
};

/** The names of all gates. */
export const checkNames: readonly string[] = Object.keys(gates);

/** Checks a run against every gate that applies. */
export function checkStory(story: RunStory, options: CheckOptions = {}): readonly GateResult[] {
  const { without = [], waived = [] } = options;
  return Object.entries(gates).flatMap(([gate, ask]) => {
    const result = without.includes(gate) ? undefined : ask(story, options);
    if (result === undefined) return [];
    return [
      { gate, ...result, ...(result.verdict === "FAIL" && waived.includes(gate) && { verdict: "WAIVED" as const }) },
    ];
  });
}

function limit(
  value: number,
  max: number | undefined,
  show: (value: number) => string,
): Omit<GateResult, "gate"> | undefined {
  if (max === undefined) return undefined;
  return { verdict: value <= max ? "PASS" : "FAIL", text: `${show(value)}, limit ${show(max)}` };
}
