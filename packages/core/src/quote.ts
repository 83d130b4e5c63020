import { toJson } from "./json.ts";

// Control characters, and the marks that reorder or hide text on screen (bidi overrides and isolates, zero widths, BOM).
// eslint-disable-next-line no-control-regex, no-misleading-character-class -- removing single control characters is the point
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb]|\udb40[\udc00-\uddef]/g;

/**
 * Puts a value an agent or a tool wrote into a text for the agent or for people: quoted, on one line, without control
 * or bidi characters, at most 120 characters.
 *
 * @example
 * nudge(`The command ${quote(command)} failed again.`)
 */
export function quote(value: unknown, { max = 120 }: { readonly max?: number } = {}): string {
  // eslint-disable-next-line @typescript-eslint/no-base-to-string -- objects went the other way
  const text = typeof value === "object" ? JSON.stringify(toJson(value)) : String(value);
  // Only the part that can be shown is cleaned: a 10 MB value costs no more than a short one.
  const line = text.slice(0, max * 4).replace(/\s+/g, " ").replace(UNSAFE, "").replaceAll('"', "'").replaceAll("<", "‹").trim();
  const cut = line.length > max - 2 || text.length > max * 4 ? `${line.slice(0, max - 3).replace(/[\ud800-\udbff]$/, "")}…` : line;
  return `"${cut}"`;
}
