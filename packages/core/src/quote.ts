import { toJson } from "./json.ts";

/** Characters that control a terminal, or reorder or hide text on screen. */
const UNSAFE = /* @__PURE__ */ new RegExp(
  // Control characters and the soft hyphen.
  // eslint-disable-next-line no-misleading-character-class -- single characters are the point
  String.raw`[\u0000-\u001f\u007f-\u009f\u00ad` +
    // Fillers, and vowels and selectors without a shape of their own.
    String.raw`\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0` +
    // Zero widths, bidi overrides and isolates, line separators, BOM, annotations.
    String.raw`\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]` +
    // Tag characters, as the pairs of halves they are.
    String.raw`|\udb40[\udc00-\uddef]`,
  "g",
);

/**
 * Puts a value an agent or a tool wrote into a text for the agent or for people: quoted, on one line, without control
 * or bidi characters, at most 120 characters.
 *
 * @example
 * nudge(`The command ${quote(command)} failed again.`)
 */
export function quote(value: unknown, { max = 120 }: { readonly max?: number } = {}): string {
  // oxlint-disable-next-line typescript/no-base-to-string -- objects went the other way
  const text = typeof value === "object" ? JSON.stringify(toJson(value)) : String(value);
  // Only the part that can be shown is cleaned: a 10 MB value costs no more than a short one.
  const line = text
    .slice(0, max * 4)
    .replace(/\s+/g, " ")
    .replace(UNSAFE, "")
    .replaceAll('"', "'")
    .replaceAll("<", "‹")
    .trim();
  const cut =
    line.length > max - 2 || text.length > max * 4
      ? `${line.slice(0, max - 3).replace(/[\ud800-\udbff]$/, "")}…`
      : line;
  return `"${cut}"`;
}
