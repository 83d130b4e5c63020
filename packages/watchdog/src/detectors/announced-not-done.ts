import { alert, definePolicy, type Policy } from "@phasekit/core";

/** Options of `announcedNotDone`. */
export interface AnnouncedNotDoneOptions {
  /** Announcements in a row without a tool call. @default 2 */
  readonly times?: number;
}

interface AnnouncedNotDoneState {
  announced: number;
  acted: boolean;
  words: string;
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
  const initial = (): AnnouncedNotDoneState => ({ announced: 0, acted: false, words: "" });
  const act = (state: AnnouncedNotDoneState): void => {
    state.acted = true;
    state.announced = 0;
    state.words = "";
  };
  return definePolicy<AnnouncedNotDoneState>({
    name: "announced-not-done",
    version: "1",
    initial,
    observe: {
      "turn.started": (state) => {
        if (state.words !== "" && !state.acted) state.announced += 1;
        state.acted = false;
        state.words = "";
      },
      "message.sent": (state, { excerpt = "" }) => {
        const text = excerpt.trimEnd();
        if (!text.endsWith("?") && ANNOUNCEMENT.test(text.slice(-400))) state.words = text.slice(-160);
      },
      "tool.requested": act,
      "tool.finished": act,
      "message.received": (state) => { Object.assign(state, initial()); },
    },
    decide: {
      "turn.started": (_run, { announced }) =>
        announced >= times ? alert({ kind: "announced-not-done", signature: "", count: announced, evidence: { times: announced } }) : undefined,
    },
  });
}
