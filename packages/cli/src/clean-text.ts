import { stripVTControlCharacters } from "node:util";

// Controls, marks that turn the direction of text, and characters without width: what an agent wrote must not be able
// to move the cursor, hide a part of a line or show it in another order.
const UNSAFE = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\u2028\u2029]+/gu;
const WIDE = /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
const MAX_INPUT = 4096;

/** Foreign text on one line, without anything a terminal would obey. */
export function cleanText(text: string): string {
  return stripVTControlCharacters(text.slice(0, MAX_INPUT)).replace(/[\s\p{Zs}]+/gu, " ").replace(UNSAFE, "").trim();
}

/** How many columns a clean text takes. */
export function textWidth(text: string): number {
  let width = 0;
  for (const character of stripVTControlCharacters(text)) width += /\p{Mn}/u.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
  return width;
}

/** Foreign text, clean and cut to a width. */
export function fitText(text: string, width: number): string {
  const clean = cleanText(text);
  if (textWidth(clean) <= width) return clean;
  let kept = "";
  let used = 0;
  for (const character of clean) {
    const own = textWidth(character);
    if (used + own > width - 1) break;
    kept += character;
    used += own;
  }
  return `${kept.trimEnd()}…`;
}

/** A path cut in its middle: the end says more than the beginning. */
export function fitPath(path: string, width: number): string {
  const clean = cleanText(path);
  if (textWidth(clean) <= width) return clean;
  const characters = Array.from(clean);
  return `…${characters.slice(-Math.max(1, width - 1)).join("")}`;
}

/** Long paths in a text, cut to their last two parts. */
export function shortPaths(text: string): string {
  return text.replace(/[\w.@+~-]*\/(?:[\w.@+~-]+\/)+[\w.@+~-]+/g, (path) => (path.length <= 32 ? path : `…/${path.split("/").slice(-2).join("/")}`));
}

/** Fills a text up with blanks, colours not counted. */
export function padText(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - textWidth(text)));
}
