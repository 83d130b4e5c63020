import { alert, definePolicy, type Policy } from "@phasekit/core";

/** Options of `textOnlyTurns`. */
export interface TextOnlyTurnsOptions {
  /** Turns in a row without a tool call. @default 3 */
  readonly times?: number;
}

interface TextOnlyTurnsState {
  turns: number;
  spoke: boolean;
  /** Tool calls of the run when the turn began. */
  calls: number;
  /** Who had the last turn, and whether somebody else had one before: then it is a conversation. */
  agent: string | undefined;
  conversation: boolean;
}

/**
 * Notices an agent that only talks. Turns are counted, not messages.
 *
 * Fires: three turns in a row with text and no tool call, with nobody answering.
 * Silent: a conversation (a message from the user starts anew; several agents talking), a closing text, code.
 * Seen: the incident behind OpenHands' monologue rule.
 */
export function textOnlyTurns({ times = 3 }: TextOnlyTurnsOptions = {}): Policy<TextOnlyTurnsState> {
  return definePolicy<TextOnlyTurnsState>({
    name: "text-only-turns",
    version: "1",
    initial: () => ({ turns: 0, spoke: false, calls: 0, agent: undefined, conversation: false }),
    observe: {
      "turn.started": (state, { agent = "" }, { toolCalls }) => {
        state.conversation ||= state.agent !== undefined && state.agent !== agent;
        if (toolCalls > state.calls || state.conversation) state.turns = 0;
        else if (state.spoke) state.turns += 1;
        state.calls = toolCalls;
        state.agent = agent;
        state.spoke = false;
      },
      // There are agents whose code is their action.
      "message.sent": (state, { excerpt = "" }) => { state.spoke = !excerpt.includes("```"); },
      "message.received": (state, _event, { toolCalls }) => { Object.assign(state, { turns: 0, spoke: false, calls: toolCalls }); },
    },
    decide: {
      "turn.started": (_run, { turns }) =>
        turns >= times ? alert({ kind: "text-only-turns", signature: "", count: turns, evidence: { turns } }) : undefined,
    },
  });
}
