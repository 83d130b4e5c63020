/** The last words of an agent, as far as they say how its run ends. */
export interface LastWords {
  /** The last paragraph asks something. */
  readonly asks: boolean;
  /** The agent says that it could not do it. */
  readonly givesUp: boolean;
}

/** Only the end of a text says how it ends. */
const MAX_TEXT = 2000;
/** A question mark that ends a sentence; not one in a pattern or an address. */
const QUESTION = /[?？](?=["'”’)*_]*(?:\s|$))/;
/** The agent about itself: "I could not", "I was unable to", "we give up". */
const DENIAL = new RegExp(
  "\\b(?:I|we)(?:['’](?:m|re|ve)| am| are| was| were| have)?(?: been)? " +
    "(?:could(?: not|n['’]t)|can(?:not| not|['’]t)|(?:not |un)able to|did(?: not|n['’]t) manage|failed to|" +
    "g[ai]v(?:e|ing) up)",
  "i",
);

/** Reads the last words of an agent. They count only where its calls agree: see `endReason`. */
export function readLastWords(text: string): LastWords {
  // Code is quoted, not said.
  const said = text
    .slice(-MAX_TEXT)
    .replace(/```[^]*?(?:```|$)|`[^`\n]*`/g, "code")
    .trimEnd();
  const paragraph = said.slice(said.lastIndexOf("\n\n") + 1);
  return { asks: QUESTION.test(paragraph), givesUp: DENIAL.test(said) };
}
