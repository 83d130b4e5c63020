import { normalizeError, normalizeLine, saySame, withoutOwnWords } from "./normalize-result.ts";

const MAX_PARSED = 32_768;
const LONG_LINE = 512;
const WINDOW = 320;

/** A result that may be compared again: what was worked out about it is kept. */
export interface KeptResult {
  /** The call it is the result of. */
  readonly fingerprint: string;
  readonly text: string;
  /** The parsed value, once it was needed; `null` when the text is no JSON after all. */
  value: { readonly parsed: unknown } | null | undefined;
}

/**
 * Whether two results of the same call say the same, once what always changes is put aside. Texts are compared first as
 * they are, then line by line until the first difference: only lines that differ are normalised.
 */
export function sameResult(before: KeptResult, after: KeptResult): boolean {
  if (before.text === after.text) return true;
  const first = withoutOwnWords(before.text);
  const second = withoutOwnWords(after.text);
  if (first === second) return true;
  if (isJson(first) && isJson(second)) {
    const old = parsedOf(before, first);
    const fresh = parsedOf(after, second);
    if (old !== null && fresh !== null) return saySame(old.parsed, fresh.parsed);
  }
  return sameLines(first, second);
}

/** Whether two short answers to "create this" or "send this" differ only in the number the thing was given. */
export function sameReceipt(before: string, after: string): boolean {
  return Math.max(before.length, after.length) <= LONG_LINE && withoutReference(before) === withoutReference(after);
}

/** Codes such as REF-7C1A09 or wh_4f00c2d1 are letters and digits mixed. */
function withoutReference(text: string): string {
  return normalizeError(normalizeLine(text).replace(/\b(?=[A-Z-]*\d)[A-Z\d][A-Z\d-]{5,}\b|\b(?=\w*\d)(?=\w*[a-z])\w{8,}\b/g, "¤"));
}

/** Whether a text may be JSON, by both of its ends: a failing parse costs more than all other comparing. */
function isJson(text: string): boolean {
  const close = CLOSING.get(text.charCodeAt(0));
  return close !== undefined && text.length <= MAX_PARSED && text.charCodeAt(text.length - 1) === close;
}

const CLOSING = new Map([[0x7b, 0x7d], [0x5b, 0x5d]]);

function parsedOf(kept: KeptResult, text: string): { readonly parsed: unknown } | null {
  if (kept.value === undefined) {
    try {
      kept.value = { parsed: JSON.parse(text) as unknown };
    } catch {
      kept.value = null;
    }
  }
  return kept.value;
}

/** Walks both texts line by line; a line that repeats the one before it, such as a heartbeat, is passed over. */
function sameLines(first: string, second: string): boolean {
  const left = createLines(first);
  const right = createLines(second);
  let a = left.next("", undefined);
  let b = right.next("", undefined);
  while (a !== undefined && b !== undefined) {
    const same = sameLine(a, b);
    if (!same) return false;
    const normal = a === b ? undefined : normalizeLine(b);
    a = left.next(a, normal);
    b = right.next(b, normal);
  }
  return a === b;
}

function sameLine(a: string, b: string): boolean {
  if (a === b) return true;
  if (a.length > LONG_LINE && b.length > LONG_LINE && differsEarly(a, b)) return false;
  return normalizeLine(a) === normalizeLine(b);
}

/** In long lines a window around the first difference mostly decides. */
function differsEarly(a: string, b: string): boolean {
  const length = Math.min(a.length, b.length);
  let at = 0;
  while (at < length && a.slice(at, at + 64) === b.slice(at, at + 64)) at += 64;
  while (at < length && a.charCodeAt(at) === b.charCodeAt(at)) at += 1;
  const from = Math.max(0, at - 48);
  const left = normalizeLine(a.slice(from, from + WINDOW));
  const right = normalizeLine(b.slice(from, from + WINDOW));
  // The last token of a window may be cut, so the tails do not count.
  const sure = Math.min(left.length, right.length) - 64;
  return sure > 0 && left.slice(0, sure) !== right.slice(0, sure);
}

/** The lines of a text, one at a time, without those that say the same as the line before. */
function createLines(text: string): { readonly next: (previous: string, normal: string | undefined) => string | undefined } {
  let from = 0;
  let started = false;
  function take(): string | undefined {
    if (from > text.length) return undefined;
    const end = text.indexOf("\n", from);
    const line = text.slice(from, end < 0 ? text.length : end);
    from = end < 0 ? text.length + 1 : end + 1;
    return line;
  }
  return {
    next: (previous, normal) => {
      let line = take();
      // Only digits can make two lines with one meaning; without them equality is equality.
      while (line !== undefined && started && (line === previous || repeats(line, previous, normal))) line = take();
      started = true;
      return line;
    },
  };
}

function repeats(line: string, previous: string, normal: string | undefined): boolean {
  if (line === "" || previous === "" || line.charCodeAt(line.length - 1) !== previous.charCodeAt(previous.length - 1)) return false;
  if (Math.abs(line.length - previous.length) > 8) return false;
  return normalizeLine(line) === (normal ?? normalizeLine(previous));
}
