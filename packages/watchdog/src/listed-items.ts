/** Whether the last two things looked up stand in one earlier result: then a list is gone through, and "none" is a result. */
export function isListed(results: readonly string[], { input, earlier }: { readonly input: unknown; readonly earlier: unknown }): boolean {
  const now = newWords(input, earlier);
  const then = newWords(earlier, input);
  return now.length > 0 && then.length > 0 && results.some((list) => list.length >= LONG_LIST && [...now, ...then].every((word) => list.includes(word)));
}

const LONG_LIST = 40;

/** The words of some arguments that are not in others. */
function newWords(input: unknown, other: unknown): readonly string[] {
  if (typeof input !== "object" || input === null) return [];
  const known = new Set(argumentWords(other));
  return argumentWords(input).filter((word) => !known.has(word));
}

function argumentWords(input: unknown): readonly string[] {
  // What stands after a backslash belongs to a pattern, not to a word.
  return JSON.stringify(input ?? "").replace(/\\\\[a-zA-Z]/g, " ").match(/[\p{L}\p{N}_]{3,}/gu) ?? [];
}
