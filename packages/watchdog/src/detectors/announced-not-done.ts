import { alert, definePolicy, type Policy } from "@phasekit/core";

/** Options of `announcedNotDone`. */
export interface AnnouncedNotDoneOptions {
  /** Announcements in a row without a tool call. @default 2 */
  readonly times?: number;
}

interface AnnouncedNotDoneState {
  announced: number;
  spoke: boolean;
  /** Tool calls of the run when it was last asked. */
  calls: number;
}

const ANNOUNCEMENT =
  /(?:^|[.!:\n]\s*)(?:now |next,? |first,? |okay,? |ok,? )?(?:i(?:'ll| will| am going to|'m going to)|let me|let's)\s+(?:now |first |start by |go ahead and |quickly )?(?:run|read|check|look|open|edit|update|write|create|fix|search|add|implement|test|execute|apply|change|modify|start|inspect|review|examine|try|install|make|find|list|verify|refactor|continue|proceed)\b/i;

/**
 * Notices an agent that says what it will do and does not do it.
 *
 * Fires: "I will now run the tests." twice, in two turns without a tool call.
 * Silent: the announcement is followed by a call; a plan for the user; a message that ends with a question.
 * Seen: goose issue 9640.
 */
export function announcedNotDone({ times = 2 }: AnnouncedNotDoneOptions = {}): Policy<AnnouncedNotDoneState> {
  return definePolicy<AnnouncedNotDoneState>({
    name: "announced-not-done",
    version: "1",
    initial: () => ({ announced: 0, spoke: false, calls: 0 }),
    observe: {
      "turn.started": (state, _event, { toolCalls }) => {
        if (toolCalls > state.calls) state.announced = 0;
        else if (state.spoke) state.announced += 1;
        state.calls = toolCalls;
        state.spoke = false;
      },
      "message.sent": (state, { excerpt = "" }) => {
        const text = excerpt.trimEnd();
        if (!text.endsWith("?") && ANNOUNCEMENT.test(text.slice(-400))) state.spoke = true;
      },
      "message.received": (state, _event, { toolCalls }) => { Object.assign(state, { announced: 0, spoke: false, calls: toolCalls }); },
    },
    decide: {
      "turn.started": (_run, { announced }) =>
        announced >= times ? alert({ kind: "announced-not-done", signature: "", count: announced, evidence: { times: announced } }) : undefined,
    },
  });
}
