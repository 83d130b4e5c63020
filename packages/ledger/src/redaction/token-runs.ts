import { mayBeEncoded } from "./decode-text.ts";
import { isRandomRun } from "./looks-random.ts";
import { mayBeNamed } from "./name-before.ts";
import { tokenKinds } from "./token-kinds.ts";

/** The runs of a text: where tokens and encoded texts may begin, and whether anything in it looks random. */
export interface TokenRuns {
  /** Places where a token may begin, in order. */
  readonly starts: readonly number[] | undefined;
  readonly hasRandom: boolean;
  /** Places where readable text in base64 or hex may begin. */
  readonly encoded: readonly number[] | undefined;
  /** Runs with percent codes, each by its beginning and its end. */
  readonly percent: readonly number[] | undefined;
  /** Beginnings of random runs behind what may be the name of a secret. */
  readonly named: readonly number[] | undefined;
}

/** Every token and every random text holds at least this many characters of a run. */
const SHORTEST_RUN = 16;
const SHORTEST_RANDOM = 10;
/** The shortest name of a secret. */
const SHORTEST_NAME = 3;

const [BACKSLASH, PERCENT, BRACKET, SEMICOLON, ZERO, LETTER_X] = [0x5c, 0x25, 0x5b, 0x3b, 0x30, 0x78];

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

/** The findings so far. Most texts have nothing of most kinds. */
interface Findings {
  starts: number[] | undefined;
  hasRandom: boolean;
  encoded: number[] | undefined;
  percent: number[] | undefined;
  named: number[] | undefined;
}

const noFindings = (): Findings => ({
  starts: undefined,
  hasRandom: false,
  encoded: undefined,
  percent: undefined,
  named: undefined,
});

/**
 * Finds the long runs of a text; `undefined` if it has none. It looks at every 16th character and walks back from
 * there, so that it reads a third of ordinary text: a run of 16 cannot hide between two gaps that are closer than that.
 */
export function findTokenRuns(text: string): TokenRuns | undefined {
  let found: Findings | undefined;
  let gap = -1;
  for (let probe = SHORTEST_RUN - 1; probe < text.length; probe = gap + SHORTEST_RUN) {
    let at = probe;
    while (at > gap && classOf(text, at) !== GAP) at -= 1;
    gap = at > gap ? at : readRun(text, gap + 1, (found ??= noFindings()));
  }
  return found;
}

/** Looks at the beginning of each word of a run, and returns where the run ends. */
function readRun(text: string, run: number, found: Findings): number {
  let hasCode = false;
  let isRandom = false;
  let word = run;
  for (let at = run; ; at += 1) {
    const kind = at < text.length ? classOf(text, at) : GAP;
    if (kind === ALNUM) continue;
    if (at > word) {
      addStarts(text, word, found);
      if (at - word >= SHORTEST_RANDOM) isRandom ||= isRandomRun(text, word, at);
      if (at - word >= SHORTEST_RUN) addEncoded(text, word, found);
    }
    if (kind === GAP) {
      if (hasCode) (found.percent ??= []).push(run, at);
      if (isRandom) addRandom(text, run, found);
      return at;
    }
    if (kind === DOLLAR && beginsToken(text, at)) (found.starts ??= []).push(at);
    hasCode ||= text.charCodeAt(at) === PERCENT;
    word = at + 1;
  }
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

/** A random run may be the value of a name in front of it. */
function addRandom(text: string, run: number, found: Findings): void {
  found.hasRandom = true;
  if (run > SHORTEST_NAME && mayBeNamed(text, run)) (found.named ??= []).push(run);
}

/** Encoded text begins where a word does, or behind the sign of hex. */
function addEncoded(text: string, word: number, found: Findings): void {
  const start = text.charCodeAt(word) === ZERO && text.charCodeAt(word + 1) === LETTER_X ? word + 2 : word;
  if (mayBeEncoded(text, start)) (found.encoded ??= []).push(start);
}

/** A token begins where a word does, or behind an escape in JSON or a URL, or behind a terminal color. */
function addStarts(text: string, word: number, found: Findings): void {
  if (beginsToken(text, word)) (found.starts ??= []).push(word);
  const before = text.charCodeAt(word - 1);
  if (before === BACKSLASH || before === PERCENT || before === BRACKET || before === SEMICOLON)
    for (let at = word + 1; at < word + 6; at += 1) if (beginsToken(text, at)) (found.starts ??= []).push(at);
}
