import type { Policy } from "@phasekit/core";
import { turnsOfTalk } from "../turns-of-talk.ts";

/** Options of `textOnlyTurns`. */
export interface TextOnlyTurnsOptions {
  /** Turns in a row without a tool call. @default 3 */
  readonly times?: number;
}

/**
 * Notices an agent that only talks. Turns are counted, not messages.
 *
 * Fires: three turns in a row with text and no tool call, with nobody answering.
 * Silent: a conversation (a message from the user starts anew; several agents talking), a closing text, code.
 * Seen: OSWorld-V2 pull request 450, turns without an action, answered with the same sentence each time.
 */
export function textOnlyTurns({ times = 3 }: TextOnlyTurnsOptions = {}): Policy {
  // There are agents whose code is their action.
  return turnsOfTalk({ kind: "text-only-turns", times, counts: (text) => !text.includes("```") });
}
