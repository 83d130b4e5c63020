import type { TextFinding, TextWatcher } from "@phasekit/core";

/** When a text counts as a chant. */
export interface ChantOptions {
  readonly times: number;
  readonly distance: number;
  readonly stop: boolean;
}

const WINDOW = 48;
const SLOTS = 4096;
const BASE = 0x01000193;
const NEAREST = 8;
const HEAD = 5;
const NEWLINE = 10;

// What the base is worth after a whole window, for taking the oldest letter out of the hash.
const OLDEST = Array.from({ length: WINDOW }).reduce<number>((power) => Math.imul(power, BASE), 1);

// Letters and digits carry a chant; rules, punctuation and spaces do not.
const SPOKEN = Uint8Array.from({ length: 128 }, (_, code) => Number(/[a-z0-9]/i.test(String.fromCharCode(code))));

/**
 * Looks for passages of 48 letters that come back at one short, constant distance, with a rolling hash and a table of
 * the last few thousand positions. Lines that are list items, table rows, headings or quotes, and everything inside a
 * code fence, are left out.
 */
export function createChantWatcher({ times, distance, stop }: ChantOptions): TextWatcher {
  const letters = new Uint16Array(WINDOW);
  // Four numbers for each remembered passage: its hash, where it ended last, the distance to the time before, how often.
  const table = new Int32Array(SLOTS * 4);
  let hash = 0;
  let seen = 0;
  let head = "";
  let line: "head" | "speech" | "other" = "head";
  let fenced = false;
  let told = false;

  /** Takes the speech of a text; how often a passage of it has come back, and where the speech ended. */
  function listen(text: string, from: number): { readonly count: number; readonly end: number } {
    let found = 0;
    let index = from;
    // Copied into locals: this loop sees every character.
    let rolling = hash;
    let place = seen;
    for (; index < text.length; index += 1) {
      const code = text.charCodeAt(index);
      if (code === NEWLINE) break;
      if (code < 128 ? SPOKEN[code] !== 1 : code >= 0x2000 && code <= 0x2bff) continue;
      const oldest = place % WINDOW;
      rolling = (Math.imul(rolling, BASE) + code - Math.imul(letters[oldest] ?? 0, OLDEST)) | 0;
      letters[oldest] = code;
      place += 1;
      if (place < WINDOW) continue;
      const slot = ((rolling ^ (rolling >>> 12)) & (SLOTS - 1)) << 2;
      if (table[slot] !== rolling || table[slot + 3] === 0) {
        table[slot] = rolling;
        table[slot + 1] = place;
        table[slot + 2] = 0;
        table[slot + 3] = 1;
        continue;
      }
      const gap = place - (table[slot + 1] ?? 0);
      // A run of one letter overlaps itself at every place.
      if (gap < NEAREST) continue;
      const count = gap === table[slot + 2] ? (table[slot + 3] ?? 0) + 1 : 2;
      table[slot + 1] = place;
      table[slot + 2] = gap;
      table[slot + 3] = count;
      if (count >= times && gap <= distance && count > found) found = count;
    }
    hash = rolling;
    seen = place;
    return { count: found, end: index };
  }

  function forget(): void {
    table.fill(0);
    letters.fill(0);
    hash = 0;
    seen = 0;
  }

  /** Decides what a line is from its first characters; those of speech count as well. */
  function decideLine(): number {
    line = "speech";
    if (head.startsWith("```")) {
      forget();
      fenced = !fenced;
      // What follows a closing fence on its line is speech again.
      if (fenced) line = "other";
    } else if (fenced || STRUCTURE.test(head)) {
      line = "other";
    }
    return line === "speech" ? listen(head, 0).count : 0;
  }

  function push(text: string): TextFinding | undefined {
    let count = 0;
    for (let index = 0; index < text.length; index += 1) {
      if (line === "speech") {
        const heard = listen(text, index);
        count = Math.max(count, heard.count);
        index = heard.end;
        if (index >= text.length) break;
      }
      const code = text.charCodeAt(index);
      if (code === NEWLINE) {
        if (line === "head") count = Math.max(count, decideLine());
        head = "";
        line = "head";
      } else if (line === "head") {
        if (head !== "" || (code !== 32 && code !== 9)) head += text[index] ?? "";
        if (head.length >= HEAD) count = Math.max(count, decideLine());
      }
    }
    if (count === 0 || told) return undefined;
    told = true;
    return { kind: "chanting", signature: text.replace(/\s+/g, " ").trim(), count, stop };
  }

  return { push };
}

const STRUCTURE = /^(?:[-*+•]\s|\d{1,3}[.)]|\||#{1,6}[\s#]|>)/;
