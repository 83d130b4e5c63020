import { tableOf } from "@phasekit/core/adapter";
/** A call that a script makes, with its argument. */
export interface ScriptCall {
  readonly tool: string;
  readonly input: unknown;
}

const CALL = /\btools\.([A-Za-z_$][\w$]*)\s*\(/g;
/** Scripts are short; a longer one is not looked into. */
const MAX_SCRIPT = 20_000;
const MAX_DEPTH = 8;

/**
 * Returns the only call of a script that wraps a tool, such as `text(await tools.exec_command({ cmd: "npm test" }))`;
 * `undefined` if there are several, none, or one whose argument is not a literal.
 */
export function onlyCallOf(script: string): ScriptCall | undefined {
  if (script.length > MAX_SCRIPT) return undefined;
  const [call, ...others] = [...script.matchAll(CALL)];
  if (call?.[1] === undefined || others.length > 0) return undefined;
  const read = readLiteral(script, call.index + call[0].length, 0);
  return read === undefined ? undefined : { tool: call[1], input: read.value };
}

interface Read {
  readonly value: unknown;
  readonly end: number;
}

/** Reads a literal of JavaScript: texts, numbers, truth values, and objects and lists of them. */
function readLiteral(text: string, from: number, depth: number): Read | undefined {
  const at = afterBlanks(text, from);
  const first = text[at];
  if (first === undefined || depth > MAX_DEPTH) return undefined;
  if (first === "{") return readMembers(text, at + 1, depth);
  if (first === "[") return readItems(text, at + 1, depth);
  if (first === '"' || first === "'" || first === "`") return readText(text, at);
  WORD.lastIndex = at;
  const word = WORD.exec(text)?.[0];
  if (word === undefined) return undefined;
  const end = at + word.length;
  if (word in WORDS) return { value: WORDS[word], end };
  const number = Number(word.replaceAll("_", ""));
  return Number.isNaN(number) ? undefined : { value: number, end };
}

const WORD = /[\w.+-]+/y;
const WORDS: Readonly<Record<string, unknown>> = tableOf({ true: true, false: false, null: null });
const KEY = /[A-Za-z_$][\w$]*/y;

function readMembers(text: string, from: number, depth: number): Read | undefined {
  const members = new Map<string, unknown>();
  for (let at = afterBlanks(text, from); ;) {
    if (text[at] === "}") return { value: Object.fromEntries(members), end: at + 1 };
    KEY.lastIndex = at;
    const plain = KEY.exec(text)?.[0];
    const key = plain === undefined ? readText(text, at) : { value: plain, end: at + plain.length };
    if (key === undefined) return undefined;
    const colon = afterBlanks(text, key.end);
    const member = text[colon] === ":" ? readLiteral(text, colon + 1, depth + 1) : undefined;
    if (member === undefined) return undefined;
    members.set(String(key.value), member.value);
    const next = afterComma(text, member.end, "}");
    if (next === undefined) return undefined;
    at = next;
  }
}

function readItems(text: string, from: number, depth: number): Read | undefined {
  const value: unknown[] = [];
  for (let at = afterBlanks(text, from); ;) {
    if (text[at] === "]") return { value, end: at + 1 };
    const item = readLiteral(text, at, depth + 1);
    if (item === undefined) return undefined;
    value.push(item.value);
    const next = afterComma(text, item.end, "]");
    if (next === undefined) return undefined;
    at = next;
  }
}

const ESCAPES: Readonly<Record<string, string>> = tableOf({ n: "\n", t: "\t", r: "\r", "\n": "" });

/** Escapes of characters by number, and templates with holes, are not read. */
function readText(text: string, at: number): Read | undefined {
  const quote = text[at];
  if (quote !== '"' && quote !== "'" && quote !== "`") return undefined;
  let value = "";
  for (let place = at + 1; place < text.length; place += 1) {
    const character = text[place] ?? "";
    if (character === quote) return { value, end: place + 1 };
    if (quote === "`" && character === "$" && text[place + 1] === "{") return undefined;
    if (character !== "\\") {
      value += character;
      continue;
    }
    place += 1;
    const escaped = text[place] ?? "";
    if (escaped === "u" || escaped === "x") return undefined;
    value += ESCAPES[escaped] ?? escaped;
  }
  return undefined;
}

function afterBlanks(text: string, from: number): number {
  let at = from;
  while (at < text.length && /\s/.test(text[at] ?? "")) at += 1;
  return at;
}

/** The place after a comma, or of the closing bracket. */
function afterComma(text: string, from: number, closing: string): number | undefined {
  const at = afterBlanks(text, from);
  return text[at] === "," ? afterBlanks(text, at + 1) : text[at] === closing ? at : undefined;
}
