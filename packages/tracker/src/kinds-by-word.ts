/** Turns a table of words by kind, as people write it, into one of the kind by word. */
export function kindsByWord<TKind extends string>(wordsByKind: Readonly<Record<TKind, string>>, separator = " "): ReadonlyMap<string, TKind> {
  const kinds = new Map<string, TKind>();
  for (const kind in wordsByKind) for (const word of wordsByKind[kind].split(separator)) kinds.set(word, kind);
  return kinds;
}
