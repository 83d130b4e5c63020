import { cleanText } from "../clean-text.ts";

/** A word that a shell takes as it is: nothing in it is expanded or run. */
export function quoteForShell(word: string): string {
  const clean = cleanText(word);
  const safe = clean.startsWith("-") ? `./${clean}` : clean;
  return /^[\w@%+=:,./-]+$/.test(safe) ? safe : `'${safe.replaceAll("'", String.raw`'\''`)}'`;
}
