import type { Policy } from "@phasekit/core";
import { turnsOfTalk } from "../turns-of-talk.ts";

/** Options of `announcedNotDone`. */
export interface AnnouncedNotDoneOptions {
  /** Announcements in a row without a tool call. @default 2 */
  readonly times?: number;
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
export function announcedNotDone({ times = 2 }: AnnouncedNotDoneOptions = {}): Policy {
  return turnsOfTalk({ name: "announced-not-done", times, counts: (text) => !text.trimEnd().endsWith("?") && ANNOUNCEMENT.test(text.slice(-400)) });
}
