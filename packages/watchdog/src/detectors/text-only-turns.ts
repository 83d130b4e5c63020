import { alert, definePolicy, type Policy } from "@phasekit/core";

/** Options of `textOnlyTurns`. */
export interface TextOnlyTurnsOptions {
  /** Turns in a row without a tool call. @default 3 */
  readonly times?: number;
}

interface TextOnlyTurnsState {
  turns: number;
  spoke: boolean;
  acted: boolean;
}

/**
 * Notices an agent that only talks. Turns are counted, not messages.
 *
 * Fires: three turns in a row with text and no tool call, with nobody answering.
 * Silent: a conversation (a message from the user starts anew), a closing text.
 * Seen: the incident behind OpenHands' monologue rule.
 */
export function textOnlyTurns({ times = 3 }: TextOnlyTurnsOptions = {}): Policy<TextOnlyTurnsState> {
  const initial = (): TextOnlyTurnsState => ({ turns: 0, spoke: false, acted: false });
  const act = (state: TextOnlyTurnsState): void => {
    state.acted = true;
    state.turns = 0;
  };
  return definePolicy<TextOnlyTurnsState>({
    name: "text-only-turns",
    version: "1",
    initial,
    observe: {
      "turn.started": (state) => {
        if (state.spoke && !state.acted) state.turns += 1;
        state.spoke = false;
        state.acted = false;
      },
      "message.sent": (state) => { state.spoke = true; },
      "tool.requested": act,
      "tool.finished": act,
      "message.received": (state) => { Object.assign(state, initial()); },
    },
    decide: {
      "turn.started": (_run, { turns }) =>
        turns >= times ? alert({ kind: "text-only-turns", signature: "", count: turns, evidence: { turns } }) : undefined,
    },
  });
}
