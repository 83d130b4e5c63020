import type { RunLine } from "./run-line.ts";

interface StateWords {
  /** The state in words anyone can rank. */
  readonly words: string;
  readonly tone: Tone;
}

/** How good the news is: a color, and never the only carrier of the message. */
export type Tone = "good" | "fair" | "bad" | "plain";

const WORDS: Readonly<Record<RunLine["state"], StateWords>> = {
  clean: { words: "finished, verified", tone: "good" },
  success: { words: "finished, not checked", tone: "fair" },
  partial: { words: "finished in part", tone: "fair" },
  failed: { words: "failed", tone: "bad" },
  stalled: { words: "stopped in a loop", tone: "bad" },
  interrupted: { words: "interrupted", tone: "bad" },
  "timed-out": { words: "ran out of time", tone: "bad" },
  running: { words: "running", tone: "plain" },
};

/** Every outcome in words, the best first. */
const OUTCOMES: readonly string[] = [
  "finished, proven",
  "finished, verified",
  "finished, supported",
  "finished, weakly checked",
  "finished, nothing to check",
  "finished, not checked",
  "finished, not proven",
  "finished in part",
  "running",
];

/** Returns the outcome of a run in plain words: its state, and how well a "done" is backed. */
export function stateWords({ state, grade, reason }: Pick<RunLine, "state" | "grade" | "reason">): StateWords {
  if (state === "clean" && grade === "proven") return { words: "finished, proven", tone: "good" };
  if (state === "clean" && grade === "supported") return { words: "finished, supported", tone: "good" };
  if (state === "success" && grade === "weak") return { words: "finished, weakly checked", tone: "fair" };
  if (state === "success" && grade === "not needed") return { words: "finished, nothing to check", tone: "plain" };
  if (state === "partial" && reason === "done_unverified") return { words: "finished, not proven", tone: "fair" };
  return WORDS[state];
}

/** Orders outcomes, the best first. */
export function outcomeRank(words: string): number {
  const rank = OUTCOMES.indexOf(words);
  return rank === -1 ? OUTCOMES.length : rank;
}
