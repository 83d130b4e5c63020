import { nudge, type Policy } from "@phasekit/core";

/** Turns of a loop with tools. */
export const TURNS = 10;

/** How a loop of the comparison runs. */
export interface LoopOptions {
  readonly tools: boolean;
  readonly watch: boolean;
}

/** A model that answers at once: every turn of a loop but the last calls a tool. */
export const wantsTool = (turn: number, tools: boolean): boolean => tools && turn % TURNS !== TURNS - 1;
export const input = { path: "src/a.ts", text: "x".repeat(500) };
export const output = { exitCode: 0, stdout: "y".repeat(1000) };

/** A policy that does what most do: looks, and seldom speaks. */
export const policy: Policy = {
  name: "reminder",
  decide: { "turn.started": (run) => (run.turn % 50 === 0 ? nudge("Still there?") : undefined) },
};
