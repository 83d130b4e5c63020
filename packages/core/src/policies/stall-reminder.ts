import { nudge } from "../decision.ts";
import { phaseSpec } from "../phase-graph.ts";
import { definePolicy, type Policy } from "../policy.ts";
import { quote } from "../quote.ts";

export interface StallReminderOptions {
  /** Turns in one phase before the reminder; a phase's own `maxTurns` goes before it. @default 8 */
  readonly afterTurns?: number;
}

/** Reminds an agent that has stayed in one phase for long. */
export function stallReminder({ afterTurns = 8 }: StallReminderOptions = {}): Policy {
  return definePolicy({
    name: "stall-reminder",
    decide: {
      "turn.started": (run) =>
        run.turnsInPhase > (phaseSpec(run.graph, run.phase)?.maxTurns ?? afterTurns)
          ? nudge(`${String(run.turnsInPhase - 1)} turns in ${quote(run.phase)}. Finish it, or say what blocks you.`)
          : undefined,
    },
  });
}
