import { wordSet } from "../word-table.ts";

const SEED = 0x811c9dc5 | 0;
const PRIME = 0x01000193;
const ZERO = 48;
const NINE = 57;
const NEW_LINE = 10;
const SPACE = 32;
const HYPHEN = 45;
const LAST_HEX = 102;
const X = 120;
/** Hex words from this length on are ids. */
const LONG_HEX = 7;
/** Numbers from this length on are times, ids or sizes. */
const LONG_NUMBER = 6;
/** Texts from this number of lines on may have line numbers. */
const NUMBERED = 4;

/** Ends a line in a list of words. */
export const LINE_END = 0;

/** The words of a text as hashes, and a hash of all of them. */
export interface ScannedWords {
  /** How many entries of the list are filled: words, and a `LINE_END` after each line that has words. */
  readonly length: number;
  readonly print: number;
}

/**
 * Reads a text once, character by character, and writes a hash of each word into a list, without regard to case. Long
 * numbers, times, durations and hex ids are the same word whatever their value, and so is the number at the start of
 * each line of a longer text, which is mostly the number of the line: texts that differ only in such parts have the
 * same words. A short number is a value, unless `values` is false. A text with more words than the list takes is cut.
 */
export function scanWords(text: string, words: Int32Array, { values }: { readonly values: boolean }): ScannedWords {
  const isNumbered = values && hasLines(text, NUMBERED);
  const room = words.length - 2;
  const end = text.length;
  let filled = 0;
  let print = SEED;
  let hasWords = false;
  let index = 0;
  let idEnd = -1;
  let code = end > 0 ? text.charCodeAt(0) : 0;
  // The next character is read where the last one is done with: a loop that asks for each kind in turn is slower.
  while (index <= end && filled < room) {
    const start = index;
    let hash = SEED;
    let digits = 0;
    // Negative once a letter is beyond those of a hex number.
    let beyond = 0;
    while (index < end) {
      const letter = code > 127 ? code : code | 32;
      if (code > 127 || (letter >= 97 && letter <= 122 && code >= 65)) {
        hash = Math.imul(hash ^ letter, PRIME);
        // The `x` of `0x1f` is part of the number.
        if (letter !== X || digits !== 1 || index !== start + 1) beyond |= LAST_HEX - letter;
        index += 1;
        code = index < end ? text.charCodeAt(index) : 0;
      } else if (code >= ZERO && code <= NINE) {
        const from = index;
        let number = 0;
        do {
          number = (Math.imul(number, 31) + code) | 0;
          index += 1;
          code = index < end ? text.charCodeAt(index) : 0;
        } while (
          (code >= ZERO && code <= NINE) ||
          (joinsDigits(code) && index + 1 < end && isDigit(text.charCodeAt(index + 1)))
        );
        digits += index - from;
        const isValue =
          values &&
          index - from < LONG_NUMBER &&
          (!isNumbered || hasWords || from > start) &&
          !isDuration(text, index, code) &&
          !(from === start && isAfterUnit(text, from));
        hash = Math.imul(hash ^ (isValue ? (number + 1) | 0 : ZERO), PRIME);
      } else break;
    }
    const length = index - start;
    if (length > 0) {
      // An id of several parts, such as a UUID, is one id.
      if (beyond >= 0 && (length >= LONG_HEX ? digits > 0 : idEnd === start - 1 && text.charCodeAt(idEnd) === HYPHEN)) {
        hash = Math.imul(SEED ^ ZERO, PRIME);
        idEnd = index;
      }
      words[filled] = hash === LINE_END ? 1 : hash;
      filled += 1;
      print = Math.imul(print ^ hash, PRIME);
      hasWords = true;
    }
    if (index < end && code !== NEW_LINE) {
      index += 1;
      code = index < end ? text.charCodeAt(index) : 0;
      continue;
    }
    if (hasWords) {
      words[filled] = LINE_END;
      filled += 1;
      print = Math.imul(print ^ NEW_LINE, PRIME);
      hasWords = false;
    }
    index += 1;
    code = index < end ? text.charCodeAt(index) : 0;
  }
  return { length: filled, print };
}

const UNITS = wordSet("ns us ms s sec secs second seconds m min mins minute minutes h hr hrs hour hours d day days");
const LONGEST_UNIT = 7;
const MAX_GAP = 4;

/** True if a unit of time follows a number: `12m`, `0.43 s`, `7 minutes`. */
function isDuration(text: string, end: number, code: number): boolean {
  const from = code === SPACE ? end + 1 : end;
  let at = from;
  while (at - from <= LONGEST_UNIT && isLetter(text.charCodeAt(at))) at += 1;
  return at > from && UNITS.has(text.slice(from, at).toLowerCase());
}

/** True if a number follows the name of a unit of time: `elapsed_ms: 11`, `"seconds": 40`. */
function isAfterUnit(text: string, from: number): boolean {
  let end = from;
  while (end > 0 && from - end < MAX_GAP && joinsName(text.charCodeAt(end - 1))) end -= 1;
  let at = end;
  while (end - at <= LONGEST_UNIT && at > 0 && isLetter(text.charCodeAt(at - 1))) at -= 1;
  return end < from && end - at > 1 && UNITS.has(text.slice(at, end).toLowerCase());
}

/** True for the characters between the name of a value and the value. */
function joinsName(code: number): boolean {
  return code === SPACE || code === 34 || code === 39 || code === 58 || code === 61;
}

function isLetter(code: number): boolean {
  return (code | 32) >= 97 && (code | 32) <= 122;
}

function isDigit(code: number): boolean {
  return code >= ZERO && code <= NINE;
}

/** True for the characters inside a time, a date or a fraction. */
function joinsDigits(code: number): boolean {
  return code === 46 || code === 58 || code === 44 || code === 45;
}

/** True if a text has at least this many lines. */
function hasLines(text: string, count: number): boolean {
  let at = -1;
  for (let line = 1; line < count; line += 1) {
    at = text.indexOf("\n", at + 1);
    if (at < 0) return false;
  }
  return true;
}
