import { definePolicy, nudge, type Policy } from "@phasekit/core";
import { remainingBudget } from "@phasekit/core/adapter";
import { ownWork, workOf } from "../own-work.ts";

export interface TextOnlyReminderOptions {
  /** Turns with words and without a tool call, in a row. @default 2 */
  readonly after?: number;
  readonly text?: (facts: { readonly turns: number }) => string;
}

/**
 * Tells an agent that only talks to use a tool. Silent in the last turn of a budget, and if the user asked for an
 * answer: there words are the work.
 *
 * @example
 * policies: [phaseTracker(), textOnlyReminder()]
 */
export function textOnlyReminder({ after = 2, text = defaultText }: TextOnlyReminderOptions = {}): Policy {
  return definePolicy({
    name: "text-only-reminder",
    version: "1",
    ...ownWork(),
    decide: {
      "turn.started": (run, state) => {
        const { consecutiveTextOnlyTurns: turns, textStreakTurn, expectsEdits } = workOf(run, state);
        if (turns < after || !expectsEdits || (remainingBudget(run, "turns") ?? Infinity) <= 1) return undefined;
        return nudge(text({ turns }), { episode: `streak:${String(textStreakTurn)}`, priority: 8 });
      },
    },
  });
}

function defaultText({ turns }: { readonly turns: number }): string {
  return `For ${String(turns)} turns you have only written text. Take the next step with a tool, or say that you are done.`;
}
