import type { Policy } from "@phasekit/core";
import { turnsOfTalk } from "../turns-of-talk.ts";

/** Options of `announcedNotDone`. */
export interface AnnouncedNotDoneOptions {
  /** Announcements in a row without a tool call. @default 2 */
  readonly times?: number;
  /** Short messages in a row that only announce something, where turns are not told. @default 5 */
  readonly messages?: number;
}

// What is announced may be anything but a word to the reader.
const ANNOUNCEMENT = /(?:^|[.!:,\n]\s*)(?:\w+,? )?(?:i(?:'ll| will|(?: a|')m (?:going|about) to)|let me|let's)\s+(?!know|be |have|need|wait|explain|sum|tell|give|answer|say|stop|end)/i;
/** The same without a subject: "Proceeding with the report." */
const BEGINNING = /^(?:(?:ok(?:ay)?|alright|right|now|next|great|first|then|so)[,.!]? )*(?:(?:going|about) to \w|getting started|\w{3,}ing (?:to|with|on|the|by|now|it|this|work))/i;
/** What hangs on somebody else is an offer, not an announcement. */
const OFFER = /\b(?:you|your|if|once|when|unless)\b|\?\s*$/i;

/**
 * Notices an agent that says what it will do and does not do it.
 *
 * Fires: "I will now run the tests." twice, in two turns without a tool call.
 * Silent: the announcement is followed by a call; a plan for the user; a message that ends with a question.
 * Seen: goose issue 9640.
 */
export function announcedNotDone({ times = 2, messages = 5 }: AnnouncedNotDoneOptions = {}): Policy {
  return turnsOfTalk({ kind: "announced-not-done", times, messages, counts: (text) => !text.trimEnd().endsWith("?") && ANNOUNCEMENT.test(text.slice(-400)), alike: isShortAnnouncement });
}

const SHORT = 240;

/** A message that says nothing but what will be done. */
function isShortAnnouncement(text: string): boolean {
  return text.length <= SHORT && !OFFER.test(text) && (ANNOUNCEMENT.test(text) || BEGINNING.test(text) || MIDDLE.test(text));
}

const MIDDLE = /\bI(?:'ll| will|(?: a|')m (?:going|about) to) (?:now |first |then |next |also )*(?:start|begin|write|create|open|implement|gather|run|fix|read|look|check|add|make|draft|do)\b/i;
