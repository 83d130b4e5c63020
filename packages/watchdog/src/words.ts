const COMMON = new Set(
  "a an the i you we it me my your this that is are was be do does did have has had will would shall should can could may to of in on at for from with by and or but not if so just there what which who when where how please let now again still need want like know tell use make sure some any all same s ll re m".split(
    " ",
  ),
);

const MAX_WORDS = 60;

/** The words of a text that carry its meaning; at most 60. */
export function meaningfulWords(text: string): readonly string[] {
  const words: readonly string[] = text.toLowerCase().slice(0, 2000).match(/[\p{L}\p{N}_]+/gu) ?? [];
  return words.filter((word) => !COMMON.has(word)).slice(0, MAX_WORDS);
}

/** The same, cut to their stems. */
export function contentWords(text: string): ReadonlySet<string> {
  return new Set(meaningfulWords(text).map(stem));
}

function stem(word: string): string {
  if (word.length <= 3) return word;
  const cut = word.length === 4 ? word : word.replace(/(?:ing|ings|edly|ed|ies|es|s|ly|ment|ion|ions)$/, "");
  return cut.replace(/e$/, "").slice(0, 8);
}

/** How much of the smaller set is in the other one: 1 when all of it is. */
export function overlap(first: ReadonlySet<string>, second: ReadonlySet<string>): number {
  const [small, large] = first.size <= second.size ? [first, second] : [second, first];
  if (small.size === 0) return 0;
  let shared = 0;
  for (const word of small) if (large.has(word)) shared += 1;
  return shared / small.size;
}

/** What two sets share of all they have: 1 when they are equal. */
export function similarity(first: ReadonlySet<string>, second: ReadonlySet<string>): number {
  let shared = 0;
  for (const word of first) if (second.has(word)) shared += 1;
  const all = first.size + second.size - shared;
  return all === 0 ? 0 : shared / all;
}
