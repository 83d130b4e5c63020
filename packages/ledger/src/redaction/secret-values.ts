import { decodeBase64 } from "./decode-text.ts";
import { looksRandom } from "./looks-random.ts";
import type { NameKind } from "./secret-names.ts";

/**
 * The position of a value: in quotes; behind an equals sign or a flag without any space; alone to the end of its line;
 * or within a line, among code and prose.
 */
export type ValuePosition = "quoted" | "tight" | "line" | "inline";

/** Shorter ones are too common as words. */
const SHORTEST = 6;

/** True if a value under a name of such a kind is a secret. */
export function isSecretValue(value: string, kind: NameKind, position: ValuePosition): boolean {
  if (kind === "phrase") return /^(?:[a-z]{3,10} ){5,30}[a-z]{3,10}$/.test(value.trim());
  if (value.length < SHORTEST || isPlaceholder(value)) return false;
  if (/\s/.test(value) || /^[a-z][a-z0-9+.-]{1,20}:\/\//i.test(value)) return false;
  if (kind === "auth") return isEncodedPair(value);
  if (kind !== "password" && isId(value)) return false;
  // Names of classes change between capitals and small letters as chance does.
  if (position !== "quoted" && /^[A-Za-z_$][\w$.]*\(/.test(value)) return false;
  const random = value.length >= 16 && looksRandom(value);
  if (kind === "weak") return random;
  if (random) return !isPath(value) || !/\.[a-z]{1,5}$/.test(value);
  if (isPath(value) || (position !== "quoted" && isReference(value))) return false;
  if (/^[\d.,]+$/.test(value)) return kind === "password" && /^\d+$/.test(value);
  if (/^[A-Za-z]+$/.test(value)) return isChosenWord(value, kind, position);
  // A name with a number behind it, such as a type or a variable; a word with a hyphen in it.
  const isName = /^[A-Za-z_$][A-Za-z_$]*\d{0,2}$|^[a-z]+(?:[-_][a-z]+)*$/i.test(value) || TYPE.test(value);
  if (position === "inline") return !isName && /[\d!#%^*]/.test(value);
  if (isName && (kind !== "password" || KEYWORD.test(value))) return false;
  return position === "tight" || /[\d!#%^*]/.test(value);
}

/**
 * True for a quoted value of several words behind the name of a variable, such as a passphrase. Sentences about
 * passwords are none.
 */
export function isPhrase(value: string, name: string): boolean {
  if (!/^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/.test(name) || !/^\S{2,60}(?: \S{1,60}){1,12}$/.test(value)) return false;
  return (
    !isPlaceholder(value) &&
    !KEYWORD.test(value) &&
    !/[<>{}$]|\b(?:your|the|enter|please|is|not|must|for|and|or|with|this|a|an|to|of)\b/i.test(value)
  );
}

const KEYWORD = /pass|pwd|token|secret|key|cred|auth|config|string|param|option|value|input|field/i;

/** Letters and nothing else. */
function isChosenWord(value: string, kind: NameKind, position: ValuePosition): boolean {
  if (KEYWORD.test(value) || COMMON.has(value.toLowerCase())) return false;
  const isLong = value.length >= 16;
  if (position === "inline") return false;
  if (position === "line") return kind === "password" && value.length >= 8 && value === value.toLowerCase();
  return kind === "password" ? value.length >= 8 : isLong;
}

const ID =
  /^(?:(?:ses|msg|prt|call|toolu|srvtoolu|req|run|resp|evt|thread|chatcmpl|item|fc|rs)[_-]|sha(?:1|256|384|512)[-:])/;

/** True for ids of sessions, messages and calls, and for digests: they look random, too, and are not secrets. */
export function isId(value: string): boolean {
  return ID.test(value);
}

const PLACEHOLDER = new RegExp(
  [
    // At the start: variables and templates, words for "put yours here", values that are none, other sources.
    String.raw`^(?:\$[A-Za-z_{(]|[<{[]|%[(sA-Z]|#\{|@\/|\.\.\.|x{4,}|\*+$|-+$|_+$)`,
    String.raw`^(?:your|my[-_]|change|replace|example|dummy|sample|placeholder|insert|todo|fixme)`,
    String.raw`^(?:none\b|null\b|nil\b|undefined\b|true\b|false\b|redacted|masked|hidden)`,
    String.raw`^(?:process\.env|os\.(?:environ|getenv)|env[.:[]|file:|stdin)`,
    // Anywhere.
    String.raw`\.\.\.|…|[_-]here$|\{\{|\$\{|\$\(|<[a-z_ -]+>|\*{4}|(.)\1{7}`,
  ].join("|"),
  "i",
);

/** Text that people write in place of a secret. */
export function isPlaceholder(value: string): boolean {
  return PLACEHOLDER.test(value.length > 200 ? value.slice(0, 200) : value);
}

/** An expression: a call, an index, a member of something, or a name that says what it holds. */
function isReference(value: string): boolean {
  if (/[([{<]/.test(value)) return true;
  if (/^[A-Za-z_$][\w$]*(?:[?!]?\.[A-Za-z_$][\w$]*)+!?$/.test(value)) return true;
  return /^[A-Za-z_$][\w$]*!?$/.test(value) && KEYWORD.test(value);
}

/** A reference, a type, a name of letters, or signs. */
export function isCode(value: string): boolean {
  return isReference(value) || /[*?^|]|^(?:[A-Za-z_$]+|\W+)!?$/.test(value) || TYPE.test(value);
}

/** A name of a type with a number in it, such as `Uint8Array`. */
const TYPE = /^[A-Z][a-z]+\d{1,3}[A-Z][a-z]+\w*$/;

function isPath(value: string): boolean {
  return /^(?:\.{0,2}|~|[A-Za-z]:)[/\\]/.test(value) && /^[\w.~:@ /\\-]+$/.test(value);
}

/** Base64 of `name:password`. */
function isEncodedPair(value: string): boolean {
  return value.length >= 8 && /^[\x20-\x7e]{1,200}:[\x20-\x7e]{2,}$/.test(decodeBase64(value) ?? "");
}

/** Words that follow such names in types, forms, settings and prose. */
const COMMON: ReadonlySet<string> = new Set(
  (
    "string number boolean buffer object unknown required optional missing invalid incorrect expired undefined " +
    "disabled enabled include omit sameorigin default identifier variable argument expected received returned " +
    "generated encrypted hashed " +
    "plaintext protected unchanged anonymous interactive authentication authorization verification confirmation " +
    "bytes array record readonly function interface promise nullable literal instead before after should because"
  ).split(" "),
);
