import { stripVTControlCharacters } from "node:util";

// Control characters, direction marks and zero-width characters: text of an agent must not move the cursor, hide a
// part of a line or reorder it.
const UNSAFE = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\u2028\u2029]+/gu;
/** East Asian wide characters and emoji, two columns each. */
const WIDE_RANGES = [
  String.raw`\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f`,
  String.raw`\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}`,
];
const WIDE = new RegExp(`[${WIDE_RANGES.join("")}]`, "u");
const MAX_INPUT = 4096;

/** Returns foreign text on one line, without control characters. */
export function cleanText(text: string): string {
  return stripVTControlCharacters(text.slice(0, MAX_INPUT))
    .replace(/[\s\p{Zs}]+/gu, " ")
    .replace(UNSAFE, "")
    .trim();
}

// eslint-disable-next-line no-control-regex -- our own colors start with it
const COLOUR = /(\u001b\[\d{1,3}m)/;

/** Removes control characters from a line to print, except our own colors and tabs. */
export function safeLine(line: string): string {
  return line
    .split(COLOUR)
    .map((part, index) =>
      index % 2 === 1
        ? part
        : part
            .split("\t")
            .map((text) => text.replace(UNSAFE, ""))
            .join("\t"),
    )
    .join("");
}

/** Returns the width of a clean text in columns. */
export function textWidth(text: string): number {
  let width = 0;
  for (const character of stripVTControlCharacters(text))
    width += /\p{Mn}/u.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
  return width;
}

/** Cleans foreign text and cuts it to a width. */
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

/** Shortens a path in the middle, keeping its end. */
export function fitPath(path: string, width: number): string {
  const clean = cleanText(path);
  if (textWidth(clean) <= width) return clean;
  const characters = Array.from(clean);
  return `…${characters.slice(-Math.max(1, width - 1)).join("")}`;
}

/** Pads a text with spaces, ignoring colors. */
export function padText(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - textWidth(text)));
}

/** A sentence as the end of another one. Words with a second capital, such as CI, keep theirs. */
export function clause(sentence: string): string {
  const text = sentence.replace(/\.$/, "");
  return /^[A-Z][a-z ]/.test(text) ? `${text.charAt(0).toLowerCase()}${text.slice(1)}` : text;
}
