/** Secrets behind the name of a setting or a header: `API_KEY=…`, `"password": "…"`, `Authorization: …`. */
import { HEADERS, mayFollowName, nameBefore, nameOfValue } from "./name-before.ts";
import { judgeName, type NameKind, SECRET_NAME } from "./secret-names.ts";
import { isCode, isPhrase, isPlaceholder, isSecretValue, type ValuePosition } from "./secret-values.ts";
import { bareValue, endOfMatch, quotedValues, replaceSpans, type Span } from "./text-spans.ts";

/** A separator behind such a name. */
const ASSIGNMENT = new RegExp(
  String.raw`[:=](?<=(?:(${HEADERS.join("|")})|\bvalue|${SECRET_NAME})["'\\\x60\]*]{0,4}[ \t]{0,3}[:=])`,
  "iy",
);

/** Takes out the values behind such names. */
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
    const kind = judgeName(nameAt(text, at));
    const value = kind === undefined ? undefined : valueAfter(text, at, { end, kind });
    if (kind === undefined || value === undefined) continue;
    if (value.position !== "quoted") end = value.to;
    const given = text.slice(value.from, value.to);
    const isSpaced = value.position === "quoted" && text[at] === "=" && isPhrase(given, nameBefore(text, at));
    if (!isSpaced && !isSecretValue(given, kind, value.position)) continue;
    spans.push({ from: value.from, to: value.to, name: kind === "password" ? "password" : "secret" });
    done = value.to;
  }
  return replaceSpans(text, spans);
}

/** The name in front of a separator; of `value`, the one that was named before it. */
function nameAt(text: string, separator: number): string {
  const name = nameBefore(text, separator);
  if (name.length !== 5 || name.toLowerCase() !== "value") return name;
  const { name: named, link } = nameOfValue(text, separator);
  // Not in prose, as in "the password value: none".
  return /[",'\n\\]/.test(link) ? named : "";
}

function find(text: string, separator: string, from: number): number {
  const at = text.indexOf(separator, from);
  return at < 0 ? text.length : at;
}

const AUTHORIZATION = /\s{0,3}["'\\]{0,3}(?:([A-Za-z][A-Za-z0-9-]{1,20})\s{1,3})?([^\s"'\\,;]{6,4000})/y;
const SCHEME = /^[`"']?(?:bearer|basic|digest|token|api-?key|negotiate|credential)[=:`."')]{0,4}$/i;

function findAuthorization(text: string, separator: number): Span | undefined {
  AUTHORIZATION.lastIndex = separator + 1;
  const [, scheme = "", secret] = AUTHORIZATION.exec(text) ?? [];
  if (secret === undefined || isKept(secret) || isPlaceholder(secret) || SCHEME.test(secret)) return undefined;
  // A type or an expression, not the value of a header.
  if (!SCHEME.test(scheme) && isCode(secret)) return undefined;
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

/** Space in front of a value; columns are padded. Bold names end behind their colon. */
const GAP = /\*{0,2}[ \t]{0,40}/y;
/** A line end, plain or escaped, and what may be in front of text on the next line. YAML has a sign for this. */
const LINE_END = /(?:[|>][+-]?)?(?:\r?\n|(?:\\r)?\\n)[ \t+>|-]{0,12}/y;
const LINE_VALUE = /[^\s"'`\\,;)}\]&|<>]{6,200}(?=[ \t]{0,10}(?:$|\r?\n|\\[nr]|["'`]))/y;

interface Value {
  readonly from: number;
  readonly to: number;
  readonly position: ValuePosition;
}

/** A value alone on the line below its name, with something in it that words do not have. */
function valueOnLine(text: string, from: number): Value | undefined {
  const to = endOfMatch(text, from, LINE_VALUE);
  return /[\d!#%^*]/.test(text.slice(from, to)) ? { from, to, position: "line" } : undefined;
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
  at = endOfMatch(text, at, GAP);
  const spaced = at > afterSign;
  if (sign === ":") {
    const line = endOfMatch(text, at, LINE_END);
    if (line > at) return valueOnLine(text, line);
  }
  let escaped = false;
  while (text[at] === "\\" && at - afterSign < 8) {
    escaped = true;
    at += 1;
  }
  // own key: no member of Object.prototype has a name of one character
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
