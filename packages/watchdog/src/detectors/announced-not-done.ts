import type { Policy } from "@phasekit/core";
import { turnsOfTalk } from "../turns-of-talk.ts";

/** Options of `announcedNotDone`. */
export interface AnnouncedNotDoneOptions {
  /** Announcements in a row without a tool call. @default 2 */
  readonly times?: number;
}

// What is announced may be anything but a word to the reader.
const ANNOUNCEMENT = /(?:^|[.!:\n]\s*)(?:\w+,? )?(?:i(?:'ll| will| am going to|'m going to)|let me|let's)\s+(?!know|be |have|need|wait|explain|sum|tell|give|answer|say|stop|end)/i;

/**
 * Notices an agent that says what it will do and does not do it.
 *
 * Fires: "I will now run the tests." twice, in two turns without a tool call.
 * Silent: the announcement is followed by a call; a plan for the user; a message that ends with a question.
 * Seen: goose issue 9640.
 */
export function announcedNotDone({ times = 2 }: AnnouncedNotDoneOptions = {}): Policy {
  return turnsOfTalk({ kind: "announced-not-done", times, counts: (text) => !text.trimEnd().endsWith("?") && ANNOUNCEMENT.test(text.slice(-400)) });
}
