import type { BoundedCounts } from "../calls/bounded-counts.ts";

/** Characters of a text that are read: as many as a log keeps of an answer. */
export const MAX_TEXT = 4096;

/** The lines of a text that have letters or digits: how many there are, and a hash of all of them. */
interface ScannedLines {
  readonly count: number;
  readonly print: number;
}

/** The words of a line beside those of the question. */
export interface ComparedWords {
  readonly count: number;
  /** Words that the question does not have, and a hash of them. */
  readonly unasked: number;
  readonly rest: number;
}

/**
 * A reader of texts as hashes of lines and words. It keeps the lines of the text it scanned last. With `values`, a
 * short number is a value; in an error it is a place or an id.
 */
export interface TextScanner {
  readonly hashes: Int32Array;
  /** The first byte of each line behind spaces and line numbers, and the byte behind its last one. */
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  /** 1 for each line with a digit. */
  readonly digits: Uint8Array;
  /** The numbers that `readValues` found. */
  readonly numbers: Float64Array;
  /** How many numbers it found. */
  numberCount: number;
  /**
   * Hashes each line of a text, without regard to case, spaces and signs. Long numbers, times, durations and hex ids
   * are the same whatever their value, and the number at the beginning of each line of a longer text, which is mostly
   * the number of the line, does not count: texts that differ only in such parts have the same hashes.
   */
  readonly scanLines: (text: string, values: boolean) => ScannedLines;
  /** Collects the words of a text. */
  readonly collectWords: (text: string, into: BoundedCounts, values: boolean) => void;
  /** Collects the hashes of the lines of a text. */
  readonly collectLines: (text: string, into: BoundedCounts, values: boolean) => void;
  /** Compares the words of a scanned line with those of the question. */
  readonly compareWords: (line: number, question: BoundedCounts, values: boolean) => ComparedWords;
  /** Reads the numbers of a scanned line that may be values, and returns a hash of the rest. */
  readonly readValues: (line: number) => number;
}

/** Every common runtime has an encoder, but the language itself does not. */
declare const TextEncoder: new () => {
  readonly encodeInto: (text: string, into: Uint8Array) => { readonly written: number };
};

/** Hashes of the units of time. */
const UNITS = new Set(
  "ns us ms s sec secs second seconds m min mins minute minutes h hr hrs hour hours d day days".split(" ").map((unit) =>
    hashOf(
      Array.from(unit, (letter) => letter.charCodeAt(0)),
      0,
      unit.length,
    ),
  ),
);

let scanner: TextScanner | undefined;

/** The scanner of this module. One text is read at a time, so all runs share it. */
export function textScanner(): TextScanner {
  return (scanner ??= createScanner());
}

/** The beginning and the factor of a hash. */
const FNV = [0x811c9dc5 | 0, 0x01000193] as const;

/** Numbers of a line that are compared. */
const MAX_NUMBERS = 8;
const NEW_LINE = 10;
const LAST_HEX = 102;
/** The first of the three bytes of an arrow, a bullet or another symbol. */
const SYMBOL = 0xe2;
const LONGEST_UNIT = 7;
/** Characters between the name of a value and the value. */
const MAX_GAP = 4;

/**
 * Creates a scanner. Texts are read as bytes, and tables and constants belong to the functions that make its parts: a
 * loop over characters, over members of an object, or over constants that a bundler has made variables of a module,
 * takes two to four times as long.
 */
function createScanner(): TextScanner {
  const [SEED, PRIME] = FNV;
  const source = createSource();
  const { bytes, letters, encode } = source;
  const word = createWordReader(source);
  const { readWord } = word;
  const lines = createLineReader(source, word);
  const { hashes, starts, ends, scanLines } = lines;
  const numbers = new Float64Array(MAX_NUMBERS);

  const scanner = {
    ...lines,
    numbers,
    numberCount: 0,
    collectWords: (text: string, into: BoundedCounts, values: boolean): void => {
      const end = encode(text);
      for (let at = 0; at < end; at += 1) {
        if (!isInWord(bytes[at])) continue;
        into.add(readWord(at, values));
        at = word.end;
      }
    },
    collectLines: (text: string, into: BoundedCounts, values: boolean): void => {
      const { count } = scanLines(text, values);
      for (let line = 0; line < count; line += 1) into.add(hashes[line] as number);
    },
    compareWords: (line: number, question: BoundedCounts, values: boolean): ComparedWords => {
      const end = ends[line] as number;
      let count = 0;
      let unasked = 0;
      let rest = SEED;
      for (let at = starts[line] as number; at < end; at += 1) {
        if (!isInWord(bytes[at])) continue;
        const hash = readWord(at, values);
        at = word.end;
        count += 1;
        if (question.has(hash)) continue;
        unasked += 1;
        rest = Math.imul(rest ^ hash, PRIME);
      }
      return { count, unasked, rest };
    },
    readValues: (line: number): number => {
      const end = ends[line] as number;
      let count = 0;
      let shape = SEED;
      for (let at = starts[line] as number; at < end; at += 1) {
        let hash = SEED;
        let wordEnd = at;
        for (
          let letter = letters[bytes[at] as number] ?? 0;
          letter > 0;
          letter = letters[bytes[wordEnd] as number] ?? 0
        ) {
          hash = Math.imul(hash ^ letter, PRIME);
          wordEnd += 1;
        }
        // Most words have no digit.
        if (!isDigit(bytes[wordEnd])) {
          if (wordEnd > at) shape = Math.imul(shape ^ hash, PRIME);
          at = wordEnd;
          continue;
        }
        shape = Math.imul(shape ^ readWord(at, false), PRIME);
        while (at < word.end && !isDigit(bytes[at])) at += 1;
        if (at < word.end && count < MAX_NUMBERS) numbers[count++] = numberIn(bytes, at, word.end);
        at = word.end;
      }
      scanner.numberCount = count;
      return shape;
    },
  };
  return scanner;
}

/** The text that is read. */
type Source = ReturnType<typeof createSource>;

function createSource() {
  const encoder = new TextEncoder();
  /** The text as UTF-8, and a line end behind it. */
  const bytes = new Uint8Array(3 * MAX_TEXT + 1);
  const room = bytes.subarray(0, -1);
  /** The code of a letter by its byte, without regard to case; 0 for all others. */
  const letters = new Uint8Array(256).map((_, byte) => (isLetter(byte) ? (byte > 127 ? byte : byte | 32) : 0));

  function encode(text: string): number {
    const { written } = encoder.encodeInto(text, room);
    bytes[written] = NEW_LINE;
    return written;
  }

  return { bytes, letters, encode };
}

/** Bytes beyond ASCII are letters. */
function isLetter(byte = 0): boolean {
  return byte > 127 || ((byte | 32) > 96 && (byte | 32) < 123);
}

function isDigit(byte = 0): boolean {
  return byte > 47 && byte < 58;
}

function isInWord(byte = 0): boolean {
  return isLetter(byte) || isDigit(byte);
}

/** True for the characters inside a time, a date or a fraction: `.`, `:`, `,` and `-`. */
function joinsDigits(bytes: Uint8Array, at: number): boolean {
  const byte = bytes[at] as number;
  return (byte === 46 || byte === 58 || byte === 44 || byte === 45) && isDigit(bytes[at + 1]);
}

/** The number that begins here, without the signs in it: a time grows with its seconds, a fraction is one. */
function numberIn(bytes: Uint8Array, start: number, end: number): number {
  let number = 0;
  let scale = 0;
  for (let at = start; at < end && !isLetter(bytes[at]); at += 1) {
    const byte = bytes[at] as number;
    if (byte === 46) scale = 1;
    else if (isDigit(byte)) {
      number = number * 10 + byte - 48;
      scale *= 10;
    }
  }
  return number / (scale || 1);
}

/** The position behind a word of hex digits; the same position if there is none. */
function hexEnd(bytes: Uint8Array, start: number): number {
  let at = start;
  while (isDigit(bytes[at]) || (isLetter(bytes[at]) && ((bytes[at] as number) | 32) <= LAST_HEX)) at += 1;
  return isLetter(bytes[at]) ? start : at;
}

/** The position behind a line number, and behind a sign that belongs to it as in `12→`; the same if there is none. */
function skipNumber(bytes: Uint8Array, start: number): number {
  let at = start;
  while (isDigit(bytes[at]) || joinsDigits(bytes, at)) at += 1;
  return bytes[at] === SYMBOL ? at + 3 : isLetter(bytes[at]) ? start : at;
}

/** Reads the lines of a text. It keeps those of the last one. */
function createLineReader({ bytes, letters, encode }: Source, word: WordReader) {
  const [SEED, PRIME] = FNV;
  /** The inverse of the prime: takes a letter back out of a hash. */
  const UNDO = 0x359c449b;
  /** Texts from this number of lines on may have line numbers. */
  const NUMBERED = 4;

  const { readWord } = word;
  /** The factor of each byte in a hash: 1 for bytes that say nothing, 0 for digits and line ends, which need a look. */
  const factors = Int32Array.from(letters, (letter, byte) =>
    letter > 0 ? PRIME : isDigit(byte) || byte === NEW_LINE ? 0 : 1,
  );
  const [hashes, starts, ends] = [
    new Int32Array(MAX_TEXT + 1),
    new Int32Array(MAX_TEXT + 1),
    new Int32Array(MAX_TEXT + 1),
  ];
  const digits = new Uint8Array(MAX_TEXT + 1);

  function scanLines(text: string, values: boolean): ScannedLines {
    const end = encode(text);
    const isNumbered = hasLines(text, NUMBERED);
    let count = 0;
    let print = SEED;
    for (let at = 0; at <= end; at += 1) {
      let byte = bytes[at] as number;
      while (byte === 32) byte = bytes[(at += 1)] as number;
      if (isNumbered && isDigit(byte)) byte = bytes[(at = skipNumber(bytes, at))] as number;
      const start = at;
      let hash = SEED;
      let hasDigit = 0;
      for (;;) {
        const factor = factors[byte] as number;
        if (factor !== 0) {
          hash = Math.imul(hash ^ (letters[byte] as number), factor);
          byte = bytes[(at += 1)] as number;
          continue;
        }
        if (byte === 10) break;
        // A word with a digit may be an id, so it is read as a whole.
        hasDigit = 1;
        let from = at;
        while (from > start && isLetter(bytes[from - 1])) {
          from -= 1;
          hash = Math.imul(hash, UNDO) ^ (letters[bytes[from] as number] ?? 0);
        }
        hash = Math.imul(hash ^ readWord(from, values), PRIME);
        at = word.end;
        byte = bytes[at] as number;
      }
      if (hash === SEED) continue;
      // A log that grows by the same line says the same.
      if (hash !== hashes[count - 1]) print = Math.imul(print ^ hash, PRIME);
      hashes[count] = hash;
      starts[count] = start;
      ends[count] = at;
      digits[count] = hasDigit;
      count += 1;
    }
    return { count, print };
  }

  return { hashes, starts, ends, digits, scanLines };
}

interface WordReader {
  /** Where the word ends that was read last. */
  end: number;
  /** Hashes the word that begins here. */
  readonly readWord: (start: number, values: boolean) => number;
}

function createWordReader({ bytes, letters }: Source): WordReader {
  const [SEED, PRIME] = FNV;
  const X = 120;
  /** Hex words from this length on are ids. */
  const LONG_HEX = 7;
  /** Numbers from this length on are times, ids or sizes. */
  const LONG_NUMBER = 6;

  function readWord(start: number, values: boolean): number {
    let at = start;
    let byte = bytes[at] as number;
    let hash = SEED;
    let digits = 0;
    // Negative once a letter is beyond those of a hex number.
    let beyond = 0;
    for (;;) {
      const letter = letters[byte] as number;
      if (letter > 0) {
        hash = Math.imul(hash ^ letter, PRIME);
        // The `x` of `0x1f` is part of the number.
        if (letter !== X || digits !== 1 || at !== start + 1) beyond |= 102 - letter;
        byte = bytes[(at += 1)] as number;
      } else if (isDigit(byte)) {
        const from = at;
        let number = 0;
        do {
          number = (Math.imul(number, 31) + byte) | 0;
          byte = bytes[(at += 1)] as number;
        } while (isDigit(byte) || joinsDigits(bytes, at));
        digits += at - from;
        const isValue =
          values && at - from < LONG_NUMBER && !isDuration(bytes, at) && !(from === start && isAfterUnit(bytes, from));
        hash = Math.imul(hash ^ (isValue ? number : 48), PRIME);
      } else break;
    }
    if (beyond >= 0 && digits > 0 && at - start >= LONG_HEX) {
      // An id of several parts, such as a UUID, is one id.
      while (bytes[at] === 45 && hexEnd(bytes, at + 1) > at + 1) at = hexEnd(bytes, at + 1);
      hash = Math.imul(SEED ^ 48, PRIME);
    }
    reader.end = at;
    return hash;
  }

  const reader: WordReader = { end: 0, readWord };
  return reader;
}

/** True if a unit of time follows a number: `12m`, `0.43 s`, `7 minutes`. */
function isDuration(bytes: Uint8Array, end: number): boolean {
  const from = bytes[end] === 32 ? end + 1 : end;
  let at = from;
  while (at - from <= LONGEST_UNIT && isLetter(bytes[at])) at += 1;
  return isUnit(bytes, from, at);
}

/** True if a number follows the name of a unit of time: `elapsed_ms: 11`, `"seconds": 40`. */
function isAfterUnit(bytes: Uint8Array, from: number): boolean {
  let end = from;
  while (end > 0 && from - end < MAX_GAP && joinsName(bytes[end - 1])) end -= 1;
  let at = end;
  while (end - at <= LONGEST_UNIT && at > 0 && isLetter(bytes[at - 1])) at -= 1;
  return end < from && end - at > 1 && isUnit(bytes, at, end);
}

function isUnit(bytes: Uint8Array, from: number, end: number): boolean {
  return UNITS.has(hashOf(bytes, from, end));
}

function hashOf(codes: ArrayLike<number>, from: number, end: number): number {
  let hash = 0;
  for (let at = from; at < end; at += 1) hash = (Math.imul(hash, 31) + ((codes[at] as number) | 32)) | 0;
  return hash;
}

/** True for the characters between the name of a value and the value. */
function joinsName(byte = 0): boolean {
  return byte === 32 || byte === 34 || byte === 39 || byte === 58 || byte === 61;
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
