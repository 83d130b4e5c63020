import { isRandomRun } from "./looks-random.ts";
import { tokenKinds } from "./token-kinds.ts";

/** The runs of a text: where tokens may begin, and whether anything in it looks random. */
export interface TokenRuns {
  /** Places where a token may begin, in order. */
  readonly starts: readonly number[];
  readonly hasRandom: boolean;
}

/** Every token and every random text holds at least this many characters of a run. */
const SHORTEST_RUN = 16;
const SHORTEST_RANDOM = 10;

const [BACKSLASH, PERCENT, BRACKET, SEMICOLON] = [0x5c, 0x25, 0x5b, 0x3b];

const GAP = 0;
const MARK = 1;
const DOLLAR = 2;
const ALNUM = 3;
/** The class of each ASCII character. */
const classes = new Uint8Array(128);
for (const mark of "_-./+%") classes[mark.charCodeAt(0)] = MARK;
classes["$".charCodeAt(0)] = DOLLAR;
for (let code = 0; code < 128; code += 1) if (/[A-Za-z0-9]/.test(String.fromCharCode(code))) classes[code] = ALNUM;

/** 1 if a token begins with three characters, by a hash of them. A collision costs time, and nothing else. */
const startHashes = new Uint8Array(1 << 14);
for (const start of tokenKinds.flatMap(({ starts }) => starts))
  for (const third of start.length > 2 ? [start.charCodeAt(2)] : classes.keys())
    startHashes[hashOf(start.charCodeAt(0), start.charCodeAt(1), third)] = 1;

const NONE: TokenRuns = { starts: [], hasRandom: false };

/**
 * Finds the long runs of a text. It looks at every 16th character and walks back from there, so that it reads a third
 * of ordinary text: a run of 16 cannot hide between two gaps that are closer than that.
 */
export function findTokenRuns(text: string): TokenRuns {
  let starts: number[] | undefined;
  let hasRandom = false;
  let gap = -1;
  for (let probe = SHORTEST_RUN - 1; probe < text.length; probe = gap + SHORTEST_RUN) {
    let at = probe;
    while (at > gap && classOf(text, at) !== GAP) at -= 1;
    if (at > gap) {
      gap = at;
      continue;
    }
    // A run: look at the beginning of each of its words.
    let word = gap + 1;
    for (at = word; ; at += 1) {
      const found = at < text.length ? classOf(text, at) : GAP;
      if (found === ALNUM) continue;
      if (at > word) {
        starts = addStarts(text, word, starts);
        hasRandom ||= at - word >= SHORTEST_RANDOM && isRandomRun(text, word, at);
      }
      if (found === GAP) break;
      if (found === DOLLAR && beginsToken(text, at)) (starts ??= []).push(at);
      word = at + 1;
    }
    gap = at;
  }
  return starts === undefined && !hasRandom ? NONE : { starts: starts ?? [], hasRandom };
}

function classOf(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code < 128 ? (classes[code] as number) : GAP;
}

function hashOf(first: number, second: number, third: number): number {
  return ((first << 7) ^ (second << 4) ^ third) & 0x3fff;
}

function beginsToken(text: string, at: number): boolean {
  return startHashes[hashOf(text.charCodeAt(at), text.charCodeAt(at + 1), text.charCodeAt(at + 2))] === 1;
}

/** A token begins where a word does, or behind an escape in JSON or a URL, or behind a terminal color. */
function addStarts(text: string, word: number, starts: number[] | undefined): number[] | undefined {
  let found = starts;
  if (beginsToken(text, word)) (found ??= []).push(word);
  const before = text.charCodeAt(word - 1);
  if (before === BACKSLASH || before === PERCENT || before === BRACKET || before === SEMICOLON)
    for (let at = word + 1; at < word + 6; at += 1) if (beginsToken(text, at)) (found ??= []).push(at);
  return found;
}
