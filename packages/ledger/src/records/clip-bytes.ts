/** The longest beginning of a text that takes at most `bytes` bytes as UTF-8; never cuts a character in two. */
export function clipBytes(text: string, limit: number): string {
  if (text.length * 3 <= limit) return text;
  let bytes = 0;
  let end = 0;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x1_0000 ? 3 : 4;
    if (bytes > limit) return text.slice(0, end);
    end += character.length;
  }
  return text;
}
