import { looksRandom } from "./looks-random.ts";
import { tokenKinds } from "./token-kinds.ts";

const kindsByStart = new Map(tokenKinds.flatMap((kind) => kind.starts.map((start) => [start, kind] as const)));
const startLengths = [...new Set([...kindsByStart.keys()].map(({ length }) => length))].sort((a, b) => b - a);

const escape = (text: string): string => text.replace(/[$.*+?^(){}|[\]\\/]/g, String.raw`\$&`);

/** A token never begins inside a word. It may follow an escape in JSON or a URL, or a terminal color. */
const START = String.raw`(?:(?<![A-Za-z0-9])|(?<=\\(?:[bfnrt]|u[0-9A-Fa-f]{4})|%[0-9A-Fa-f]{2}|\u001b\[[0-9;]{0,10}m))`;

const TOKEN = new RegExp(
  `${START}(?:${tokenKinds.map(({ starts, body }) => `(?:${starts.map(escape).join("|")})${body}`).join("|")})`,
  "y",
);

/** Replaces tokens that begin at one of these places. */
export function redactTokens(text: string, starts: readonly number[]): string {
  let result = "";
  let end = 0;
  for (const start of starts) {
    if (start < end) continue;
    TOKEN.lastIndex = start;
    const token = TOKEN.exec(text)?.[0];
    const name = token === undefined ? undefined : nameToken(token);
    if (token === undefined || name === undefined) continue;
    result += `${text.slice(end, start)}[redacted:${name}]`;
    end = start + token.length;
  }
  return end === 0 ? text : result + text.slice(end);
}

function nameToken(token: string): string | undefined {
  for (const length of startLengths) {
    const kind = kindsByStart.get(token.slice(0, length));
    if (kind !== undefined) return kind.random && !looksRandom(token.slice(length)) ? undefined : kind.name;
  }
  return undefined;
}
