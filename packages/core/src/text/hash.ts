/**
 * A 53-bit text hash (two FNV-1a lanes) in at most eleven base-36 characters: for comparing texts, not for security.
 */
export function hashText(text: string): string {
  let low = 0x811c9dc5;
  let high = 0x1b873593;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    low = Math.imul(low ^ code, 0x01000193);
    high = Math.imul(high ^ code, 0x85ebca6b);
  }
  return ((high >>> 11) * 0x1_0000_0000 + (low >>> 0)).toString(36);
}
