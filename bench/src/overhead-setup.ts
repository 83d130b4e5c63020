import { nudge, type Policy } from "@phasekit/core";

/** Turns of a loop with tools. */
export const TURNS = 10;

/** Options for a loop of the comparison. */
export interface LoopOptions {
  readonly tools: boolean;
  readonly watch: boolean;
}

/** True if the model calls a tool in this turn: in every turn of a loop but the last. */
export const wantsTool = (turn: number, tools: boolean): boolean => tools && turn % TURNS !== TURNS - 1;
export const input = { path: "src/a.ts", text: "x".repeat(500) };
export const output = { exitCode: 0, stdout: "y".repeat(1000) };

/** A policy that sends a nudge every 50 turns: most policies seldom send one. */
export const policy: Policy = {
  name: "reminder",
  decide: { "turn.started": (run) => (run.turn % 50 === 0 ? nudge("Still there?") : undefined) },
};
