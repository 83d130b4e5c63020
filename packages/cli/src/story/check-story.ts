import { reasons } from "@phasekit/core";
import { count, tokens } from "../render/numbers.ts";
import { verificationOf } from "../render/verification.ts";
import type { RunStory } from "./run-story.ts";

/** What a gate says; `text` may hold foreign text. */
export interface GateResult {
  readonly gate: string;
  /** UNKNOWN: the log does not say, and what is not known is not failed. */
  readonly verdict: "PASS" | "FAIL" | "WAIVED" | "UNKNOWN";
  readonly text: string;
}

/** What is asked of a run. */
export interface CheckOptions {
  readonly without?: readonly string[];
  readonly waived?: readonly string[];
  readonly maxTurns?: number | undefined;
  readonly maxTokens?: number | undefined;
  readonly maxWastedCalls?: number | undefined;
}

type Gate = (story: RunStory, options: CheckOptions) => Omit<GateResult, "gate"> | undefined;

const gates: Readonly<Record<string, Gate>> = {
  finished: ({ reason, state }) =>
    reason === "done" || reason === "done_unverified" || reason === "advanced"
      ? { verdict: "PASS", text: "the agent came to an end by itself" }
      : { verdict: "FAIL", text: reason === undefined ? `${state}: the log stops without an end` : `${reason}: ${reasons[reason].text}` },
  verified: (story) => {
    const { verdict, text } = verificationOf(story);
    return verdict === "unknown" ? { verdict: "UNKNOWN", text } : { verdict: verdict === "no" ? "FAIL" : "PASS", text };
  },
  "no-loop": ({ loops }) => {
    const open = loops.find((loop) => loop.open && loop.severity !== "notice");
    return open === undefined ? { verdict: "PASS", text: "it did not end in a loop" } : { verdict: "FAIL", text: `it ended in a loop: ${open.kind} ×${count(open.count)} from call ${String(open.from)}${open.what === "" ? "" : `, ${open.what}`}` };
  },
  "max-turns": ({ turns }, { maxTurns }) => limit(turns, maxTurns, count),
  "max-tokens": ({ tokens: used }, { maxTokens }) => (maxTokens !== undefined && used === undefined ? { verdict: "UNKNOWN", text: "the log does not say how many tokens" } : limit(used ?? 0, maxTokens, tokens)),
  "max-wasted": ({ wasted }, { maxWastedCalls }) => limit(wasted.calls, maxWastedCalls, count),
};

/** Every gate there is. */
export const gateNames: readonly string[] = Object.keys(gates);

/** Asks every gate that applies. */
export function checkStory(story: RunStory, options: CheckOptions = {}): readonly GateResult[] {
  const { without = [], waived = [] } = options;
  return Object.entries(gates).flatMap(([gate, ask]) => {
    const result = without.includes(gate) ? undefined : ask(story, options);
    if (result === undefined) return [];
    return [{ gate, ...result, ...(result.verdict === "FAIL" && waived.includes(gate) && { verdict: "WAIVED" as const }) }];
  });
}

function limit(value: number, max: number | undefined, show: (value: number) => string): Omit<GateResult, "gate"> | undefined {
  if (max === undefined) return undefined;
  return { verdict: value <= max ? "PASS" : "FAIL", text: `${show(value)} of at most ${show(max)}` };
}
