/** What a message to the agent asks for that looks like a loop and is none. */
export interface AskedFor {
  /** How often the same may be done again because somebody said so; 0 when nobody did. */
  readonly again: number;
  /** Many things are to be gone through one by one. */
  readonly each: boolean;
}

export const NOTHING_ASKED: AskedFor = { again: 0, each: false };

const TIMES = /\b(\d{1,3}) ?(?:times|x\b|runs?|rounds?|tries|attempts|iterations|samples|minutes|hours)\b/i;
const AGAIN =
  /\b(?:repeatedly|again and again|over and over|in a loop|(?:several|many|multiple|a few|two|three|four|five|ten|twenty) (?:times|runs|more)|until (?:it|you|there|nothing|no |none|the|we|all|one|someone)|keep (?:\w+ing|an eye|on)|every (?:\d+ ?)?(?:s|m|h|sec\w*|min\w*|hour\w*|day|morning|few)\b|watch|monitor|observe|poll|in (?:batches|chunks)|batch(?:es)? of|refrain|chorus|verses?|lyrics|alternat\w+|to and fro|back and forth|a\/b)\b/i;
const EACH =
  /\b(?:one (?:by|after) (?:one|another)|one at a time|each(?: \w+)?|every(?: \w+)?|none of|in any|any \w+ (?:left|remaining)|nothing (?:\w+ ){0,4}(?:left|in)|no (?:\w+ ){0,3}(?:is|are|has|have|in)\b|any of (?:these|the|those)|all (?:of )?(?:these|the|those|\d+)|for all|list of|checklist|the following|these \d+|which of)\b/i;
const PATIENCE = 20;
/** So many things with commas between them are a list. */
const LISTED = /(?:[^,\n]{1,60},\s){4}|(?:^\s*(?:[-*]|\d+[.)]) .*\n?){4}/m;

/** Reads a message to the agent: who asks for fifteen runs, or for a look at each of many things, gets them without a word. */
export function askedFor(message: string): AskedFor {
  const count = TIMES.exec(message)?.[1];
  const again = count !== undefined ? Math.max(PATIENCE, Number(count) + 2) : AGAIN.test(message) ? PATIENCE : 0;
  return again === 0 && !EACH.test(message) && !LISTED.test(message) ? NOTHING_ASKED : { again, each: EACH.test(message) || LISTED.test(message) };
}
