/** A sentence as the end of another one. Words with a second capital, such as CI, keep theirs. */
export function clause(sentence: string): string {
  const text = sentence.replace(/\.$/, "");
  return /^[A-Z][a-z ]/.test(text) ? `${text.charAt(0).toLowerCase()}${text.slice(1)}` : text;
}
