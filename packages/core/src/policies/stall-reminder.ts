import { nudge } from "./decision.ts";
import { phaseSpec } from "../graph/phase-graph.ts";
import { definePolicy, type Policy } from "./policy.ts";
import { quote } from "../text/quote.ts";
import type { RunView } from "../view/run-view.ts";

export interface StallReminderOptions {
  /** The turn in one phase at which it speaks; in a phase with `maxTurns` it is the one after those. @default 8 */
  readonly afterTurns?: number;
}

/** Reminds an agent that has stayed in one phase for long. */
export function stallReminder({ afterTurns = 8 }: StallReminderOptions = {}): Policy {
  return definePolicy({
    name: "stall-reminder",
    decide: {
      "turn.started": (run) =>
        run.turnsInPhase >= limitOf(run, afterTurns)
          ? nudge(`${String(run.turnsInPhase)} turns in ${quote(run.phase)}. Finish it, or say what blocks you.`)
          : undefined,
    },
  });
}

function limitOf({ graph, phase }: RunView, afterTurns: number): number {
  const { maxTurns } = phaseSpec(graph, phase) ?? {};
  return maxTurns === undefined ? afterTurns : maxTurns + 1;
}
