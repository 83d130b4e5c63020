/** Names of settings in front of a place in a text: a quick test, and the name itself. */
import { nameEnds, secretWords } from "./secret-names.ts";

export const HEADERS: readonly string[] = ["authorization", "cookie"];
/** Words in front of a secret in a header. */
const SCHEMES: readonly string[] = ["bearer", "basic"];
/** Words between a name and its value: `name: X, value: Y`, `set X --body Y`. */
const LINK_WORDS: ReadonlySet<string> = new Set(["value", "body"]);

const LONGEST_NAME = 80;
/** Spaces, quotes, backslashes, brackets and stars between a name and its separator. */
const LONGEST_PADDING = 8;
/** Everything between a name and its value. */
const LONGEST_LINK = 12;

/** 1 if a name of a secret may end with three letters, in either case, by a hash of them. */
const endHashes = new Uint8Array(1 << 14);
for (const word of [
  ...HEADERS,
  ...SCHEMES,
  ...LINK_WORDS,
  ...secretWords,
  ...nameEnds.map((end) => end.replace(/\d+$/, "")),
])
  for (const third of word.length > 2 ? [word.charCodeAt(word.length - 3)] : Array(128).keys())
    for (const second of word.length > 1 ? [word.charCodeAt(word.length - 2)] : Array(128).keys())
      endHashes[hashOf(third, second, word.charCodeAt(word.length - 1))] = 1;

/** A quick test that lets every name of a secret in front of a separator pass, and few others. */
export function mayFollowName(text: string, separator: number): boolean {
  let end = separator;
  let code = text.charCodeAt(end - 1);
  while (separator - end < LONGEST_PADDING && isPadding(code)) code = text.charCodeAt((end -= 1) - 1);
  return mayEndName(text, end, code);
}

/** A quick test for a value, with space, quotes, bars, commas and separators between the name and it. */
export function mayBeNamed(text: string, value: number): boolean {
  const end = endOfName(text, value);
  return mayEndName(text, end, text.charCodeAt(end - 1));
}

/** The name in front of a separator. */
export function nameBefore(text: string, separator: number): string {
  let end = separator;
  while (end > 0 && separator - end < LONGEST_PADDING && isPadding(text.charCodeAt(end - 1))) end -= 1;
  return text.slice(startOfName(text, end), end);
}

/** The name of a value that is not simply assigned: in a row of a table, after a command, on another line. */
export interface ValueName {
  readonly name: string;
  /** The text between the two. */
  readonly link: string;
}

/** Finds the name of a value: the word in front of it, or the one before a word such as `value`. */
export function nameOfValue(text: string, value: number): ValueName {
  let end = endOfName(text, value);
  let start = startOfName(text, end);
  if (LINK_WORDS.has(text.slice(start, end).replace(/^-+/, "").toLowerCase())) {
    end = endOfName(text, start);
    start = startOfName(text, end);
  }
  return { name: text.slice(start, end), link: text.slice(end, value) };
}

function mayEndName(text: string, nameEnd: number, last: number): boolean {
  let end = nameEnd;
  let code = last;
  // A name may end with a number of two digits.
  if (isDigit(code)) {
    code = text.charCodeAt((end -= 1) - 1);
    if (isDigit(code)) code = text.charCodeAt((end -= 1) - 1);
    if (isJoint(code)) code = text.charCodeAt((end -= 1) - 1);
  }
  return code > 64 && endHashes[hashOf(text.charCodeAt(end - 3), text.charCodeAt(end - 2), code)] === 1;
}

function hashOf(third: number, second: number, last: number): number {
  return (((third & 31) << 10) | ((second & 31) << 5) | (last & 31)) & 0x3fff;
}

/** 1 for what may be between a name and its value. */
const linking = new Uint8Array(128);
for (const sign of " \t\n\r\"'`|,:=>*\\+-") linking[sign.charCodeAt(0)] = 1;

/** Where the name before a value ends. The `n` of an escaped line end belongs to neither. */
function endOfName(text: string, value: number): number {
  let end = value;
  while (value - end < LONGEST_LINK && end > 0) {
    const code = text.charCodeAt(end - 1);
    if (code === LETTER_N && text.charCodeAt(end - 2) === BACKSLASH) end -= 2;
    else if (code < 128 && linking[code] === 1) end -= 1;
    else break;
  }
  return end;
}

/** Where the name that ends at a place begins. */
export function startOfName(text: string, end: number): number {
  let start = end;
  while (start > 0 && end - start < LONGEST_NAME && isNameCharacter(text.charCodeAt(start - 1))) {
    if (text.charCodeAt(start - 1) === LETTER_N && text.charCodeAt(start - 2) === BACKSLASH) break;
    start -= 1;
  }
  return start;
}

const [BACKSLASH, LETTER_N, HYPHEN] = [0x5c, 0x6e, 0x2d];

/** 1 for spaces, quotes, backslashes, brackets and stars. */
const padding = new Uint8Array(128);
for (const sign of " \t\"'`\\]*") padding[sign.charCodeAt(0)] = 1;
const isPadding = (code: number): boolean => code < 128 && padding[code] === 1;
const isDigit = (code: number): boolean => code >= 48 && code <= 57;
const isJoint = (code: number): boolean => code === 95 || code === 46 || code === 45;

function isNameCharacter(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || isDigit(code) || code === 95 || code === HYPHEN;
}
