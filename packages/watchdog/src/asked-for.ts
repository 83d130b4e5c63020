/** What a message to the agent asks for that looks like a loop and is none. */
export interface AskedFor {
  /** How often the same may be done again because somebody said so; 0 when nobody did. */
  readonly again: number;
  /** How often it may also fail: only who names a number has asked for that. */
  readonly failing: number;
  /** Many things are to be gone through one by one. */
  readonly each: boolean;
}

export const NOTHING_ASKED: AskedFor = { again: 0, failing: 0, each: false };

const PATIENCE = 20;
/** A longer text is a specification: it has words for everything, and asks for nothing in particular. */
const MAX_REQUEST = 400;
const TIMES = /\b(\d{1,3}) ?(?:times|x\b|runs?|rounds?|attempts|iterations|samples)\b|\bfor (?:the next |about )?(\d{1,3}) (?:minutes|hours)\b/i;
// "Until it works" is no such request: that is when loops are paid for.
const AGAIN =
  /\b(?:repeatedly|again and again|over and over|in a loop|(?:several|many|multiple|two|three|four|five|ten|twenty) (?:times|runs)|until (?:nothing|no |none|there|zero|it (?:hits|reaches|fails|breaks)|you (?:catch|see|hit))|keep (?:checking|watching|polling|monitoring|an eye)|every (?:\d+ ?)?(?:s|m|h|sec\w*|min\w*|hour\w*|few)\b|in (?:batches|chunks)|batch(?:es)? of|refrain|chorus|verses?|lyrics|alternat\w+|to and fro|back and forth|a\/b)\b|(?:^|[.,;:]\s*|\b(?:and|then|please) )(?:watch|monitor|observe|poll)\b/im;
const EACH =
  /\b(?:one (?:by|after) (?:one|another)|one at a time|each|every|none of|in any|any \w+ (?:left|remaining)|nothing (?:\w+ ){0,4}(?:left|in)|no (?:\w+ ){0,3}(?:is|are|has|have|in)|any of (?:these|the|those)|all (?:of )?(?:these|the|those|\d+)|list of|checklist|the following|these \d+|which of)\b/i;
/** So many things with commas between them, or on lines of their own, are a list. */
const LISTED = /(?:[^,\n]{1,60},\s){4}|(?:^ *(?:[-*]|\d+[.)]) .*\n?){4}/m;

/** Reads a message to the agent: who asks for fifteen runs, or for a look at each of many things, gets them without a word. */
export function askedFor(message: string): AskedFor {
  if (message === "" || message.length > MAX_REQUEST) return NOTHING_ASKED;
  const [, times, minutes] = TIMES.exec(message) ?? [];
  const count = times ?? minutes;
  const again = count !== undefined ? Math.max(PATIENCE, Number(count) + 2) : AGAIN.test(message) ? PATIENCE : 0;
  return { again, failing: times === undefined ? 0 : again, each: EACH.test(message) || LISTED.test(message) };
}
