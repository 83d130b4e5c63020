import { type Alert, alert, definePolicy, type Policy } from "@phasekit/core";

/** Turns in a row in which an agent only talked. */
interface TurnsOfTalk {
  turns: number;
  spoke: boolean;
  /** Tool calls of the run when the turn began. */
  calls: number;
  /** Who had the last turn, and whether somebody else had one before: then it is a conversation. */
  agent: string | undefined;
  conversation: boolean;
  /** Messages in a row of a kind that needs no turns, and the calls before them. */
  messages: number;
  callsBefore: number;
}

interface TalkOptions {
  readonly kind: string;
  readonly times: number;
  readonly counts: (text: string) => boolean;
  /** How many messages in a row are one too many, whatever the turns. */
  readonly messages?: number;
  /** Which messages those are. */
  readonly alike?: (text: string) => boolean;
}

/** Counts turns in a row without a tool call in which the agent said something of a kind. A message to it starts anew. */
export function turnsOfTalk({ kind, times, counts, messages = Infinity, alike }: TalkOptions): Policy<TurnsOfTalk> {
  const found = (turns: number): Alert => alert({ kind, signature: "", count: turns, evidence: { turns } });
  return definePolicy<TurnsOfTalk>({
    name: kind,
    version: "2",
    initial: () => ({ turns: 0, spoke: false, calls: 0, agent: undefined, conversation: false, messages: 0, callsBefore: 0 }),
    observe: {
      "turn.started": (state, { agent = "" }, { toolCalls }) => {
        state.conversation ||= state.agent !== undefined && state.agent !== agent;
        if (toolCalls > state.calls || state.conversation) state.turns = 0;
        else if (state.spoke) state.turns += 1;
        state.calls = toolCalls;
        state.agent = agent;
        state.spoke = false;
      },
      "message.sent": (state, { excerpt = "" }, { toolCalls }) => {
        state.spoke = counts(excerpt);
        if (alike === undefined) return;
        state.messages = alike(excerpt) ? (toolCalls > state.callsBefore ? 1 : state.messages + 1) : 0;
        state.callsBefore = toolCalls;
      },
      "message.received": (state, _event, { toolCalls }) => { Object.assign(state, { turns: 0, spoke: false, calls: toolCalls, messages: 0 }); },
    },
    decide: {
      "turn.started": (_run, { turns }) => (turns >= times ? found(turns) : undefined),
      ...(alike !== undefined && { "message.sent": (_run: unknown, { messages: said, conversation }: TurnsOfTalk) => (said >= messages && !conversation ? found(said) : undefined) }),
    },
  });
}
