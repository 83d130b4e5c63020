/** Secrets behind the name of a setting or a header: `API_KEY=…`, `"password": "…"`, `Authorization: …`. */
import { judgeName, nameEnds, type NameKind, SECRET_NAME, secretWords } from "./secret-names.ts";
import { isPlaceholder, isSecretValue, type ValuePosition } from "./secret-values.ts";
import { bareValue, endOfMatch, quotedValues, replaceSpans, type Span } from "./text-spans.ts";

const HEADERS = ["authorization", "cookie"];
/** A separator behind such a name. */
const ASSIGNMENT = new RegExp(
  String.raw`[:=](?<=(?:(${HEADERS.join("|")})|${SECRET_NAME})["'\\\x60\]]{0,4}[ \t]{0,3}[:=])`,
  "iy",
);
const LONGEST_NAME = 80;
/** Spaces, quotes, backslashes and brackets between a name and its separator. */
const LONGEST_PADDING = 8;

/** 1 if a name of a secret may end with three letters, in either case, by a hash of them. */
const endHashes = new Uint8Array(1 << 14);
for (const word of [...HEADERS, ...secretWords, ...nameEnds.map((end) => end.replace(/\d+$/, ""))])
  for (const third of word.length > 2 ? [word.charCodeAt(word.length - 3)] : Array(128).keys())
    for (const second of word.length > 1 ? [word.charCodeAt(word.length - 2)] : Array(128).keys())
      endHashes[hashOf(third, second, word.charCodeAt(word.length - 1))] = 1;

export function redactAssignments(text: string): string {
  const spans: Span[] = [];
  /** Where the last value without quotes ended: values that begin inside it end there, too. */
  let end = 0;
  let done = 0;
  let colon = find(text, ":", 0);
  let equals = find(text, "=", 0);
  for (let at = Math.min(colon, equals); at < text.length; at = Math.min(colon, equals)) {
    if (at === colon) colon = find(text, ":", at + 1);
    else equals = find(text, "=", at + 1);
    if (at < done || !mayFollowName(text, at)) continue;
    ASSIGNMENT.lastIndex = at;
    const match = ASSIGNMENT.exec(text);
    if (match === null) continue;
    const [, header] = match;
    if (header !== undefined) {
      const span = header.toLowerCase() === "cookie" ? findCookie(text, at) : findAuthorization(text, at);
      if (span === undefined) continue;
      spans.push(span);
      done = span.to;
      continue;
    }
    const kind = judgeName(nameBefore(text, at));
    const value = kind === undefined ? undefined : valueAfter(text, at, { end, kind });
    if (kind === undefined || value === undefined) continue;
    if (value.position !== "quoted") end = value.to;
    if (!isSecretValue(text.slice(value.from, value.to), kind, value.position)) continue;
    spans.push({ from: value.from, to: value.to, name: kind === "password" ? "password" : "secret" });
    done = value.to;
  }
  return replaceSpans(text, spans);
}

function find(text: string, separator: string, from: number): number {
  const at = text.indexOf(separator, from);
  return at < 0 ? text.length : at;
}

function hashOf(third: number, second: number, last: number): number {
  return (((third & 31) << 10) | ((second & 31) << 5) | (last & 31)) & 0x3fff;
}

/** A quick test that lets every name of a secret pass, and few others. */
function mayFollowName(text: string, separator: number): boolean {
  let end = separator;
  let code = text.charCodeAt(end - 1);
  while (separator - end < LONGEST_PADDING && isPadding(code)) code = text.charCodeAt((end -= 1) - 1);
  // A name may end with a number of two digits.
  if (isDigit(code)) {
    code = text.charCodeAt((end -= 1) - 1);
    if (isDigit(code)) code = text.charCodeAt((end -= 1) - 1);
    if (isJoint(code)) code = text.charCodeAt((end -= 1) - 1);
  }
  return code > 64 && endHashes[hashOf(text.charCodeAt(end - 3), text.charCodeAt(end - 2), code)] === 1;
}

const isPadding = (code: number): boolean =>
  code === 32 || code === 34 || code === 39 || code === 92 || code === 93 || code === 96 || code === 9;
const isDigit = (code: number): boolean => code >= 48 && code <= 57;
const isJoint = (code: number): boolean => code === 95 || code === 46 || code === 45;

function nameBefore(text: string, separator: number): string {
  let end = separator;
  while (end > 0 && separator - end < LONGEST_PADDING && isPadding(text.charCodeAt(end - 1))) end -= 1;
  let start = end;
  while (start > 0 && end - start < LONGEST_NAME && isNameCharacter(text.charCodeAt(start - 1))) start -= 1;
  return text.slice(start, end);
}

function isNameCharacter(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || isDigit(code) || code === 95 || code === 45;
}

const AUTHORIZATION = /\s{0,3}["'\\]{0,3}(?:[A-Za-z][A-Za-z0-9-]{1,20}\s{1,3})?([^\s"'\\,;]{6,4000})/y;
const SCHEME = /^[`"']?(?:bearer|basic|digest|token|api-?key|negotiate|credential)[=:]?$/i;

function findAuthorization(text: string, separator: number): Span | undefined {
  AUTHORIZATION.lastIndex = separator + 1;
  const secret = AUTHORIZATION.exec(text)?.[1];
  if (secret === undefined || isKept(secret) || isPlaceholder(secret) || SCHEME.test(secret)) return undefined;
  const to = AUTHORIZATION.lastIndex;
  return { from: to - secret.length, to, name: "authorization" };
}

const isKept = (value: string): boolean => value.startsWith("[redacted:");

const COOKIE_START = /\s{0,4}["'\\]{0,3}(?=[\w.%-]{1,64}=[^\s=;>])/y;
const COOKIE = /[^\s;"'\\]{4,4000}/y;
/** Pairs, and words between them. What follows the last pair may be another command. */
const COOKIES = /[\w.%-]{1,64}=[^\s;"'\\]{1,4000}(?:;[ \t]?[\w.%-]{1,64}(?:=[^\s;"'\\]{0,4000}|(?=;))){0,100}/y;

/** The cookies behind a separator, which is a space behind a flag. */
export function findCookie(text: string, separator: number): Span | undefined {
  const from = endOfMatch(text, separator + 1, COOKIE_START);
  if (COOKIE_START.lastIndex === 0) return undefined;
  // In a shell, a semicolon ends a value without quotes.
  const isHeader = text[separator] === ":" || `"'\\`.includes(text[from - 1] ?? "");
  const to = endOfMatch(text, from, isHeader ? COOKIES : COOKIE);
  return to - from < 4 ? undefined : { from, to, name: "cookie" };
}

const ESCAPED = /[^"'`\\\r\n]{0,4000}/y;
const WORDS = /[a-z]{3,10}(?: [a-z]{3,10}){0,30}/y;

interface Value {
  readonly from: number;
  readonly to: number;
  readonly position: ValuePosition;
}

function valueAfter(
  text: string,
  separator: number,
  { end, kind }: { readonly end: number; readonly kind: NameKind },
): Value | undefined {
  let at = separator + 1;
  const sign = text[separator];
  const next = text[at];
  if (next === ":" && sign === ":") return undefined;
  while (text[at] === "=" || (text[at] === ">" && sign === "=")) at += 1;
  const afterSign = at;
  while (at - afterSign < 3 && (text[at] === " " || text[at] === "\t")) at += 1;
  const spaced = at > afterSign;
  let escaped = false;
  while (text[at] === "\\" && at - afterSign < 8) {
    escaped = true;
    at += 1;
  }
  const quote = quotedValues[text[at] ?? ""];
  if (quote !== undefined) {
    at += 1;
    return { from: at, to: endOfMatch(text, at, escaped ? ESCAPED : quote), position: "quoted" };
  }
  if (kind === "phrase") return { from: at, to: endOfMatch(text, at, WORDS), position: "line" };
  const to = at < end ? end : endOfMatch(text, at, bareValue);
  const behind = text[to] ?? "\n";
  const tight = sign === "=" && !spaced && !" \t".includes(text[separator - 1] ?? "");
  if (tight) return { from: at, to, position: "tight" };
  return { from: at, to, position: behind === "\n" || behind === "\r" || behind === "\\" ? "line" : "inline" };
}
