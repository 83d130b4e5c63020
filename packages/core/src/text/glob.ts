/**
 * True if a name fits a pattern in which `*` stands for any characters, also none; everything else stands for itself.
 * The parts between the stars are looked for once, from left to right, so no pattern can make it go back and forth.
 *
 * @example
 * matchesGlob("mcp__github__create_issue", "mcp__github__*") // true
 */
export function matchesGlob(name: string, pattern: string): boolean {
  const star = pattern.indexOf("*");
  if (star === -1) return name === pattern;
  const lastStar = pattern.lastIndexOf("*");
  const first = pattern.slice(0, star);
  const last = pattern.slice(lastStar + 1);
  const end = name.length - last.length;
  if (first.length > end || !name.startsWith(first) || !name.endsWith(last)) return false;
  let from = first.length;
  for (const part of pattern.slice(star, lastStar).split("*")) {
    // The earliest place leaves the most room for the parts that follow, so it never needs to be taken back.
    const at = name.indexOf(part, from);
    if (at === -1 || at + part.length > end) return false;
    from = at + part.length;
  }
  return true;
}
