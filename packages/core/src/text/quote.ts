import { wholeHead } from "./clip.ts";
import { toJson } from "./json.ts";

/**
 * Characters that control a terminal, or reorder or hide text on screen: control characters, everything that Unicode
 * shows as nothing (zero widths, fillers, bidi overrides, tags), line separators and annotations.
 */
const UNSAFE = /[\p{Cc}\p{Default_Ignorable_Code_Point}\u2028\u2029\ufff9-\ufffb]/gu;

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
  const cut = line.length > max - 2 || text.length > max * 4 ? `${wholeHead(line.slice(0, max - 3))}…` : line;
  return `"${cut}"`;
}
