import type { TextFinding, TextWatcher } from "@phasekit/core";

/** When a text counts as a chant. */
export interface ChantOptions {
  readonly times: number;
  readonly distance: number;
  readonly stop: boolean;
}

const WINDOW = 48;
const SLOTS = 1024;
const BASE = 0x01000193;
const NEAREST = 8;
const HEAD = 5;
const LONG_WORD = 20;
const NEWLINE = 10;

// What the base is worth after a whole window, for taking the oldest letter out of the hash.
const OLDEST = Array.from({ length: WINDOW }).reduce<number>((power) => Math.imul(power, BASE), 1);

// Letters and digits carry a chant (1); rules, punctuation and spaces do not (0), and a line ends (2).
const KINDS = Uint8Array.from({ length: 128 }, (_, code) => (code === NEWLINE ? 2 : Number(/[a-z0-9]/i.test(String.fromCharCode(code)))));

/**
 * Looks for passages of 48 letters that come back at one short, constant distance, with a rolling hash and a table of
 * the last thousand passages. Lines that are list items, table rows, headings or quotes, and everything inside a
 * code fence, are left out.
 */
export function createChantWatcher({ times, distance, stop }: ChantOptions): TextWatcher {
  const letters = new Uint16Array(WINDOW);
  // Four numbers for each remembered passage: its hash, where it ended last, the distance to the time before, how often.
  const table = new Int32Array(SLOTS * 4);
  let hash = 0;
  let seen = 0;
  /** The end of the last word. */
  let lookedAt = 0;
  let head = "";
  let line: "head" | "speech" | "other" = "head";
  let fenced = false;
  /** How often the most frequent passage has come back. */
  let most = 0;
  let told = false;

  /** Looks up the passage that ends here, and counts how often it has come back at one short distance. */
  function recall(rolling: number, place: number): void {
    const slot = ((rolling ^ (rolling >>> 12)) & (SLOTS - 1)) << 2;
    if (table[slot] !== rolling || table[slot + 3] === 0) {
      table[slot] = rolling;
      table[slot + 1] = place;
      table[slot + 2] = 0;
      table[slot + 3] = 1;
      return;
    }
    const gap = place - (table[slot + 1] ?? 0);
    // A run of one letter overlaps itself at every place.
    if (gap < NEAREST) return;
    const count = gap === table[slot + 2] ? (table[slot + 3] ?? 0) + 1 : 2;
    table[slot + 1] = place;
    table[slot + 2] = gap;
    table[slot + 3] = count;
    if (count >= times && gap <= distance && count > most) most = count;
  }

  /** Takes the speech of a text up to the end of its line, and says where that is. */
  function listen(text: string, from: number): number {
    let index = from;
    // Copied into locals: this loop sees every character.
    const { length } = text;
    let rolling = hash;
    let place = seen;
    let word = lookedAt;
    let oldest = seen % WINDOW;
    for (; index < length; index += 1) {
      const code = text.charCodeAt(index);
      const kind = code < 128 ? KINDS[code] : code >= 0x2000 && code <= 0x2bff ? 0 : 1;
      if (kind !== 1) {
        // A passage that comes back comes back with its words, so it is enough to look where a word ends.
        if (place > word && place >= WINDOW) recall(rolling, place);
        word = place;
        if (kind === 2) break;
        continue;
      }
      rolling = (Math.imul(rolling, BASE) + code - Math.imul(letters[oldest] ?? 0, OLDEST)) | 0;
      letters[oldest] = code;
      oldest = oldest + 1 === WINDOW ? 0 : oldest + 1;
      place += 1;
      // Nor do endless words and scripts without spaces get away.
      if (place - word > LONG_WORD && place >= WINDOW) recall(rolling, place);
    }
    hash = rolling;
    seen = place;
    lookedAt = word;
    return index;
  }

  function forget(): void {
    table.fill(0);
    letters.fill(0);
    hash = 0;
    seen = 0;
    lookedAt = 0;
  }

  /** Decides what a line is from its first characters; those of speech count as well. */
  function decideLine(): void {
    line = "speech";
    if (head.startsWith("```")) {
      forget();
      fenced = !fenced;
      // What follows a closing fence on its line is speech again.
      if (fenced) line = "other";
    } else if (fenced || STRUCTURE.test(head)) {
      line = "other";
    }
    if (line === "speech") listen(head, 0);
  }

  function push(text: string): TextFinding | undefined {
    for (let index = 0; index < text.length; index += 1) {
      if (line === "speech") {
        index = listen(text, index);
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
    if (most === 0 || told) return undefined;
    told = true;
    return { kind: "chanting", signature: text.replace(/\s+/g, " ").trim(), count: most, stop };
  }

  return { push };
}

function isLetter(code: number): boolean {
  return (code | 32) >= 97 && (code | 32) <= 122;
}

const STRUCTURE = /^(?:[-*+•]\s|\d{1,3}[.)]|\||#{1,6}[\s#]|>)/;
