/** A pattern that matches any of these. Only the flags given here count. */
export function anyOf(flags: string, ...patterns: readonly RegExp[]): RegExp {
  return new RegExp(patterns.map(({ source }) => source).join("|"), flags);
}

/** The source of a group that matches any of these words. */
export function oneOf(words: string): string {
  return `(?:${words.replaceAll(" ", "|")})`;
}
