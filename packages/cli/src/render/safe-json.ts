// Control characters above ASCII, direction marks, tags and other invisible or private characters.
const UNSAFE = /[\u007f-\u009f\p{Cf}\p{Co}\u2028\u2029]/gu;

/**
 * Returns JSON that is safe to print: control and invisible characters become `\uXXXX`, so parsers get the same text.
 */
export function safeJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, undefined, indent).replace(UNSAFE, escaped);
}

function escaped(character: string): string {
  return Array.from(
    { length: character.length },
    (_, index) => String.raw`\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`,
  ).join("");
}
