import type { TextFinding, TextWatcher } from "@phasekit/core";

/** Times a passage comes back before the text is a chant. */
const TIMES = 9;
/** The longest distance between two of them, in characters. */
const DISTANCE = 250;
const WINDOW = 48;
const SLOTS = 1024;
const BASE = 0x01000193;
const NEAREST = 8;
const HEAD = 5;
const LONG_WORD = 20;
const NEWLINE = 10;
const RING = 64;

// The weight of the character before the window, to take it out of the hash.
const OLDEST = Array.from({ length: WINDOW }).reduce<number>((power) => Math.imul(power, BASE), 1);

// Letters and digits carry a chant (1); rules, punctuation and spaces do not (0), and a line ends (2).
const KINDS = Uint8Array.from({ length: 128 }, (_, code) =>
  code === NEWLINE ? 2 : Number(isLetter(code) || isDigit(code)),
);

/** The memory of a text. Functions outside of it do the work: new ones for every message would run slowly. */
interface Listener {
  /**
   * Four numbers for each remembered passage: its hash, where it ended last, the distance to the time before, how
   * often.
   */
  readonly passages: Int32Array;
  /** The hash of all letters up to each of the last few: the hash of a passage is what two of them differ in. */
  readonly hashes: Int32Array;
  hash: number;
  seen: number;
  /** The end of the last word. */
  lookedAt: number;
  /** How often the most frequent passage has come back. */
  most: number;
}

/**
 * Looks for passages of 48 letters that come back at one short, constant distance, with a rolling hash and a table of
 * the last thousand passages. Lines that are list items, table rows, headings or quotes, and everything inside a
 * code fence, are left out.
 */
export function createChantWatcher({ stop }: { readonly stop: boolean }): TextWatcher {
  const listener: Listener = {
    passages: new Int32Array(SLOTS * 4),
    hashes: new Int32Array(RING),
    hash: 0,
    seen: 0,
    lookedAt: 0,
    most: 0,
  };
  let head = "";
  let line: "head" | "speech" | "other" = "head";
  let fenced = false;
  let reported = false;

  /** Decides what a line is from its first characters; those of speech count as well. */
  function decideLine(): void {
    line = "speech";
    if (head.startsWith("```")) {
      forget(listener);
      fenced = !fenced;
      // What follows a closing fence on its line is speech again.
      if (fenced) line = "other";
    } else if (fenced || isStructure(head)) {
      line = "other";
    }
    if (line === "speech") listen(listener, head, 0);
  }

  function push(text: string): TextFinding | undefined {
    for (let index = 0; index < text.length; index += 1) {
      if (line === "speech") {
        index = listen(listener, text, index);
        if (index >= text.length) break;
      }
      const code = text.charCodeAt(index);
      if (code === NEWLINE) {
        if (line === "head") decideLine();
        head = "";
        line = "head";
      } else if (line === "head") {
        if (head === "" && !fenced && isLetter(code)) {
          // Most lines begin with a word, and no structure does: it is speech from its first letter on.
          line = "speech";
          index -= 1;
          continue;
        }
        if (head !== "" || (code !== 32 && code !== 9)) head += text[index] ?? "";
        if (head.length >= HEAD) decideLine();
      }
    }
    if (listener.most === 0 || reported) return undefined;
    reported = true;
    return { kind: "chanting", signature: text.replace(/\s+/g, " ").trim(), count: listener.most, stop };
  }

  return { push };
}

/** Takes the speech of a text up to the end of its line, and says where that is. */
function listen(listener: Listener, text: string, from: number): number {
  const { length } = text;
  const { hashes } = listener;
  let { hash, seen, lookedAt } = listener;
  let index = from;
  // Every character goes through this loop, so what it needs is in locals.
  for (; index < length; index += 1) {
    const code = text.charCodeAt(index);
    const kind = code < 128 ? KINDS[code] : code >= 0x2000 && code <= 0x2bff ? 0 : 1;
    if (kind === 1) {
      hash = (Math.imul(hash, BASE) + code) | 0;
      seen += 1;
      hashes[seen & (RING - 1)] = hash;
      // Endless words and scripts without spaces do not get away either.
      if (seen - lookedAt > LONG_WORD) recall(listener, hash, seen);
      continue;
    }
    // A passage that comes back comes back with its words, so it is enough to look where a word ends.
    if (seen > lookedAt) recall(listener, hash, seen);
    lookedAt = seen;
    if (kind === 2) break;
  }
  listener.hash = hash;
  listener.seen = seen;
  listener.lookedAt = lookedAt;
  return index;
}

/** Looks up the passage that ends here, and counts how often it has come back at one short distance. */
function recall(listener: Listener, hash: number, place: number): void {
  if (place < WINDOW) return;
  const { passages, hashes } = listener;
  const passage = (hash - Math.imul(hashes[(place - WINDOW) & (RING - 1)] ?? 0, OLDEST)) | 0;
  const slot = ((passage ^ (passage >>> 12)) & (SLOTS - 1)) << 2;
  if (passages[slot] !== passage || passages[slot + 3] === 0) {
    passages[slot] = passage;
    passages[slot + 1] = place;
    passages[slot + 2] = 0;
    passages[slot + 3] = 1;
    return;
  }
  const gap = place - (passages[slot + 1] ?? 0);
  // A run of one letter overlaps itself at every place.
  if (gap < NEAREST) return;
  const count = gap === passages[slot + 2] ? (passages[slot + 3] ?? 0) + 1 : 2;
  passages[slot + 1] = place;
  passages[slot + 2] = gap;
  passages[slot + 3] = count;
  if (count >= TIMES && gap <= DISTANCE && count > listener.most) listener.most = count;
}

function forget(listener: Listener): void {
  listener.passages.fill(0);
  listener.hashes.fill(0);
  listener.hash = 0;
  listener.seen = 0;
  listener.lookedAt = 0;
}

function isLetter(code: number): boolean {
  return (code | 32) >= 97 && (code | 32) <= 122;
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

/** True for the first characters of a list item, a table row, a heading or a quote. */
function isStructure(head: string): boolean {
  const first = head[0] ?? "";
  if (first === "|" || first === ">") return true;
  if (first === "#") return head[1] === "#" || isSpace(head[1]);
  if ("-*+•".includes(first)) return isSpace(head[1]);
  let digits = 0;
  while (digits < 3 && isDigit(head.charCodeAt(digits))) digits += 1;
  return digits > 0 && (head[digits] === "." || head[digits] === ")");
}

function isSpace(letter: string | undefined): boolean {
  return letter === " " || letter === "\t";
}
