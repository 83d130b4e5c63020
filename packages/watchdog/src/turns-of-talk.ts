import { alert, definePolicy, type Policy } from "@phasekit/core";

/** Turns in a row in which an agent only talked. */
interface TurnsOfTalk {
  turns: number;
  spoke: boolean;
  /** Tool calls of the run when the turn began. */
  calls: number;
  /** Who had the last turn, and whether somebody else had one before: then it is a conversation. */
  agent: string | undefined;
  conversation: boolean;
}

/** Counts turns in a row without a tool call in which the agent said something of a kind. A message to it starts anew. */
export function turnsOfTalk({ kind, times, counts }: { readonly kind: string; readonly times: number; readonly counts: (text: string) => boolean }): Policy<TurnsOfTalk> {
  return definePolicy<TurnsOfTalk>({
    name: kind,
    version: "2",
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
      "message.sent": (state, { excerpt = "" }) => { state.spoke = counts(excerpt); },
      "message.received": (state, _event, { toolCalls }) => { Object.assign(state, { turns: 0, spoke: false, calls: toolCalls }); },
    },
    decide: {
      "turn.started": (_run, { turns }) => (turns >= times ? alert({ kind, signature: "", count: turns, evidence: { turns } }) : undefined),
    },
  });
}
