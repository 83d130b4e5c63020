/**
 * True if feedback says something to do, or names something of the run. Praise does neither: it is an answer to another
 * question than "how should it continue?".
 *
 * @param named Words that name something of the run, such as a command that keeps failing.
 */
export function isGuidance(feedback: string, named: Iterable<string> = []): boolean {
  if (DIRECTIVE.test(feedback)) return true;
  const said = new Set(wordsOf(feedback));
  for (const text of named) if (wordsOf(text).some((word) => said.has(word))) return true;
  return false;
}

/** Words that carry a name: long enough not to be a part of any sentence, or with a sign that prose does not have. */
function wordsOf(text: string): readonly string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}_][\p{L}\p{N}_./:-]*[\p{L}\p{N}_]/gu) ?? [];
  return words.filter((word) => !EVERYDAY.has(word));
}

// Praise of anything has these words, and so may a command line.
const EVERYDAY = /* @__PURE__ */ new Set(
  (
    "a all and are as at be been by can code do file files for from good great has have in is it its job main make " +
    "no not of on or plan run so step task test tests that the this to was well with work works you your"
  ).split(" "),
);

/** Verbs that begin an instruction. "Continue", "keep going" and their like say nothing that is not done already. */
const VERBS =
  "add|ask|avoid|check|create|delete|drop|edit|explain|explore|find|finish|fix|focus|give|implement|inspect|install|" +
  "leave|make|move|narrow|open|pass|read|reduce|remove|rename|replace|reproduce|revert|rewrite|run|save|search|send|" +
  "show|skip|split|stop|submit|summarize|switch|synthesize|take|try|undo|upgrade|use|verify|wait|write";
/** Words that are verbs only if they have an object: "Test the parser", and not "Test coverage is great". */
const NOUNS = "build|call|change|copy|list|look|plan|print|query|report|set|start|state|test|trace|update";

/** An instruction that begins a clause, or one of the forms "instead", "do not", "you should", "is unnecessary". */
const DIRECTIVE = new RegExp(
  "(?:^|[.!?;:,\\n–—-]|\\b(?:and|but|then|please|first|next|now)\\b)[\\s\"'*`(]*" +
    `(?:(?:${VERBS})\\s+(?!(?:is|was|are|were|looks?|seems?|has|have)\\b)\\S|` +
    `(?:${NOUNS})\\s+(?:the|a|an|your|it|this|that|what|how|why|where|at|for|into|only|one|[\`"'./])` +
    ")|\\b(?:instead|rather than|unnecessary|you (?:should|must|need|have to|may not|cannot))\\b|" +
    "\\b(?:do not|don[’']t|never)\\s+(?!worry|hesitate|change (?:a thing|anything))\\w",
  "iu",
);
