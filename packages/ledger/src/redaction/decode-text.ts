/** Text that is hidden in base64, hex or percent codes. */
const NONE = 255;
const [LINE_END, PLUS, SPACE, EQUALS, BACKSLASH, LETTER_N] = [0x0a, 0x2b, 0x20, 0x3d, 0x5c, 0x6e];

/** The letters of base64 by their values. */
export const BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** The value of each letter of base64, of both alphabets. */
const base64Digits = new Uint8Array(128).fill(NONE);
for (let value = 0; value < BASE64.length; value += 1) base64Digits[BASE64.charCodeAt(value)] = value;
base64Digits["-".charCodeAt(0)] = 62;
base64Digits["_".charCodeAt(0)] = 63;
const hexDigits = new Uint8Array(128).fill(NONE);
for (let value = 0; value < 16; value += 1)
  for (const letter of [value.toString(16), value.toString(16).toUpperCase()]) hexDigits[letter.charCodeAt(0)] = value;

/** 1 for the characters that readable text in base64 or hex may begin with. */
const startLetters = new Uint8Array(128);
for (const letter of "IJKLMNOPQRSTUVWXYZabcdef234567") startLetters[letter.charCodeAt(0)] = 1;

/** A part of a text, and what it stands for. */
export interface EncodedText {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** Fewer bytes than this hide nothing. */
const SHORTEST = 12;

/** A quick test: whether readable text in base64 or hex may begin at a place. */
export function mayBeEncoded(text: string, at: number): boolean {
  return startLetters[text.charCodeAt(at) & 127] === 1 && (isReadable(text, at, 3) || isReadableHex(text, at));
}

/** True if groups of four letters of base64 stand for readable bytes. */
function isReadable(text: string, at: number, groups: number): boolean {
  for (let group = at; group < at + 4 * groups; group += 4) if (!isPlain(bytesAt(text, group))) return false;
  return true;
}

/** The three bytes of four letters of base64; -1 if they are not. */
function bytesAt(text: string, at: number): number {
  const [a, b, c, d] = [digit(text, at), digit(text, at + 1), digit(text, at + 2), digit(text, at + 3)];
  return (a | b | c | d) > 63 ? -1 : (a << 18) | (b << 12) | (c << 6) | d;
}

function digit(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code < 128 ? (base64Digits[code] as number) : NONE;
}

function isPlain(bytes: number): boolean {
  return bytes >= 0 && isPlainByte(bytes >> 16) && isPlainByte((bytes >> 8) & 255) && isPlainByte(bytes & 255);
}

const isPlainByte = (byte: number): boolean => (byte >= 32 && byte < 127) || byte === 10 || byte === 13 || byte === 9;

function isReadableHex(text: string, at: number): boolean {
  for (let pair = at; pair < at + 16; pair += 2) if (!isPlainByte(hexByte(text, pair))) return false;
  return true;
}

function hexByte(text: string, at: number): number {
  const [high, low] = [text.charCodeAt(at), text.charCodeAt(at + 1)];
  if (!(high < 128 && low < 128)) return -1;
  const value = ((hexDigits[high] as number) << 4) | (hexDigits[low] as number);
  return value > 255 ? -1 : value;
}

/**
 * Decodes what begins at these places, in order. Every letter is read at most once for each of the ways to divide
 * letters into groups, so that time stays linear.
 */
export function decodeAt(text: string, places: readonly number[]): readonly EncodedText[] {
  const found: EncodedText[] = [];
  const done = { base64: [0, 0, 0, 0], hex: [0, 0] };
  let end = 0;
  for (const from of places) {
    if (from < end) continue;
    const hex = from >= (done.hex[from & 1] as number) ? decodeHex(text, from) : undefined;
    if (hex !== undefined) done.hex[from & 1] = hex.to;
    const base64 =
      hex?.isText !== true && from >= (done.base64[from & 3] as number) ? decodeLines(text, from) : undefined;
    if (base64 !== undefined) done.base64[from & 3] = base64.to;
    const best = hex?.isText === true ? hex : base64;
    if (best?.isText !== true || best.text.length < SHORTEST) continue;
    found.push({ from, to: best.to, text: best.text });
    end = best.to;
  }
  return found;
}

interface Attempt {
  /** Where reading ended. */
  readonly to: number;
  readonly text: string;
  readonly isText: boolean;
}

function decodeHex(text: string, from: number): Attempt {
  const bytes: number[] = [];
  let at = from;
  let byte = hexByte(text, at);
  for (; isPlainByte(byte); byte = hexByte(text, (at += 2))) bytes.push(byte);
  // More hex digits that are not text: a hash that begins by chance like text.
  return { to: at, text: textOf(bytes), isText: byte < 0 && bytes.length >= SHORTEST };
}

/** Decodes base64, and the lines that follow if it was wrapped. */
function decodeLines(text: string, from: number): Attempt {
  let line = decodeLine(text, from);
  let result = line;
  const width = line.to - from;
  while (line.isText && width >= 40 && width % 4 === 0) {
    const next = nextLine(text, line.to);
    if (next === undefined) break;
    line = decodeLine(text, next);
    const length = line.to - next;
    if (!line.isText || length === 0 || length > width || length % 4 !== 0) break;
    result = { to: line.to, text: result.text + line.text, isText: true };
    if (length < width) break;
  }
  return result;
}

function decodeLine(text: string, from: number): Attempt {
  const bytes: number[] = [];
  let at = from;
  for (let group = bytesAt(text, at); group >= 0; group = bytesAt(text, (at += 4))) {
    if (!isPlain(group)) return { to: at, text: "", isText: false };
    bytes.push(group >> 16, (group >> 8) & 255, group & 255);
  }
  // The last group may be cut or padded.
  const last = [digit(text, at), digit(text, at + 1), digit(text, at + 2)];
  const length = last.findIndex((value) => value === NONE);
  const rest = length < 0 ? 3 : length;
  if (rest > 1) bytes.push(((last[0] as number) << 2) | ((last[1] as number) >> 4));
  if (rest > 2) bytes.push((((last[1] as number) & 15) << 4) | ((last[2] as number) >> 2));
  at += rest;
  for (let pads = 0; pads < 2 && text.charCodeAt(at) === EQUALS; pads += 1) at += 1;
  return { to: at, text: textOf(bytes), isText: bytes.every(isPlainByte) };
}

/** The first letter behind a line end, plain or escaped, and behind the sign of a diff. */
function nextLine(text: string, at: number): number | undefined {
  let next = at;
  if (text.charCodeAt(next) === 0x0d) next += 1;
  if (text.charCodeAt(next) === LINE_END) next += 1;
  else if (text.charCodeAt(next) === BACKSLASH && text.charCodeAt(next + 1) === LETTER_N) next += 2;
  else return undefined;
  for (let prefix = 0; prefix < 12 && (text.charCodeAt(next) === SPACE || text.charCodeAt(next) === PLUS); prefix += 1)
    next += 1;
  return next;
}

function textOf(bytes: readonly number[]): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += 4096) text += String.fromCharCode(...bytes.slice(at, at + 4096));
  return text;
}

/** The readable text that a whole value stands for in base64; `undefined` if it is none. */
export function decodeBase64(value: string): string | undefined {
  const { text, to, isText } = decodeLine(value, 0);
  return isText && to === value.length ? text : undefined;
}

const PERCENT_CODE = /%[0-7][0-9A-Fa-f]/g;

/** Replaces percent codes of ASCII by what they stand for. */
export function decodePercent(text: string): string {
  return text.replace(PERCENT_CODE, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)));
}
