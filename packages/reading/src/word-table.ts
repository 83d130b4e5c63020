/** Turns a table of words by kind, separated by spaces, into one of the kind by word. */
export function kindsByWord<TKind extends string>(
  wordsByKind: Readonly<Partial<Record<TKind, string>>>,
  separator = " ",
): ReadonlyMap<string, TKind> {
  const kinds = new Map<string, TKind>();
  for (const kind in wordsByKind) for (const word of wordsByKind[kind]?.split(separator) ?? []) kinds.set(word, kind);
  return kinds;
}

/** The words of a text as a set. */
export function wordSet(words: string): ReadonlySet<string> {
  return new Set(words.split(" "));
}
