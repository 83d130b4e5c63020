import type { TerminalState } from "@phasekit/ledger";

interface StateWords {
  /** The state in words anyone can rank. */
  readonly words: string;
  readonly tone: Tone;
}

/** How good the news is: a color, and never the only carrier of the message. */
export type Tone = "good" | "fair" | "bad" | "plain";

/** Every state of a run in plain words. */
export const stateWords: Readonly<Record<TerminalState, StateWords>> = {
  clean: { words: "finished, verified", tone: "good" },
  success: { words: "finished, not checked", tone: "fair" },
  partial: { words: "finished in part", tone: "fair" },
  failed: { words: "failed", tone: "bad" },
  stalled: { words: "stopped in a loop", tone: "bad" },
  interrupted: { words: "interrupted", tone: "bad" },
  "timed-out": { words: "ran out of time", tone: "bad" },
  running: { words: "running", tone: "plain" },
};
