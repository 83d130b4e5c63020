import { LINE_END, scanWords } from "../answers/scan-words.ts";
import { BoundedCounts } from "./bounded-counts.ts";

/** How much an answer says that is new in this run. */
export interface Novelty {
  /** 0 to 1: the share of the answer that neither the question nor an earlier answer said. */
  readonly gain: number;
  /** True if the answer differs from the last ones to the same question; `undefined` for a new question. */
  readonly moved: boolean | undefined;
}

/** A question and its answer. */
interface Measurement {
  readonly about: string;
  readonly question: string;
  readonly answer: string;
  /** True if a number in the answer may be news. In an error it is a place or an id. */
  readonly values: boolean;
}

const MAX_WORDS = 8192;
const MAX_QUESTION = 16_384;
const MAX_WEIGHT = 12;
const MAX_QUESTIONS = 512;
const ANSWERS_KEPT = 4;
/** Questions whose answers hold a line before it counts as envelope: a prompt, a footer, a warning on every call. */
const ENVELOPE = 3;
const PRIME = 0x01000193;

/** A bounded memory of what the answers of one run said, as hashes of lines. */
export class NoveltyMemory {
  readonly #lines: BoundedCounts;
  readonly #words = new Int32Array(MAX_WORDS);
  /** Hashes of the last answers to each question. */
  readonly #answers = new Map<string, readonly number[]>();

  constructor(lines: number) {
    this.#lines = new BoundedCounts(lines);
  }

  /** Measures an answer, then remembers it. */
  measure({ about, question, answer, values }: Measurement): Novelty {
    const known = this.#wordsOf(question.slice(0, MAX_QUESTION), values);
    const { length, print } = scanWords(answer, this.#words, { values });
    const moved = this.#remember(about, print);
    const share = this.#measureLines(length, { known, again: moved !== undefined });
    return { gain: moved === false ? 0 : share, moved };
  }

  /**
   * The share of the scanned lines that is new. The lines count as seen afterwards. Answers to the same question count
   * once: a line that comes with each of them is what was asked for, not the envelope.
   */
  #measureLines(
    length: number,
    { known, again }: { readonly known: ReadonlySet<number>; readonly again: boolean },
  ): number {
    const lines = new Set<number>();
    let size = 0;
    let fresh = 0;
    let words = 0;
    let unasked = 0;
    let rest = 0;
    let whole = 0;
    for (let index = 0; index < length; index += 1) {
      const word = this.#words[index] ?? LINE_END;
      if (word !== LINE_END) {
        words += 1;
        whole = Math.imul(whole ^ word, PRIME);
        if (known.has(word)) continue;
        unasked += 1;
        rest = Math.imul(rest ^ word, PRIME);
        continue;
      }
      const seen = this.#lines.get(whole);
      const weight = seen >= ENVELOPE ? 0 : Math.min(words, MAX_WEIGHT);
      size += weight;
      if (unasked > 0 && seen === 0 && (rest === whole || this.#lines.get(rest) === 0))
        fresh += weight * Math.min(1, (2 * unasked) / words);
      lines.add(whole);
      if (unasked > 0) lines.add(rest);
      words = 0;
      unasked = 0;
      rest = 0;
      whole = 0;
    }
    for (const line of lines) if (!again || this.#lines.get(line) === 0) this.#lines.add(line);
    return size === 0 ? 0 : fresh / size;
  }

  #remember(about: string, print: number): boolean | undefined {
    const before = this.#answers.get(about);
    const moved = before === undefined ? undefined : !before.includes(print);
    this.#answers.delete(about);
    this.#answers.set(about, moved === false ? (before ?? []) : [...(before ?? []), print].slice(-ANSWERS_KEPT));
    if (this.#answers.size > MAX_QUESTIONS) {
      const [oldest] = this.#answers.keys();
      if (oldest !== undefined) this.#answers.delete(oldest);
    }
    return moved;
  }

  #wordsOf(text: string, values: boolean): ReadonlySet<number> {
    const { length } = scanWords(text, this.#words, { values });
    return new Set(this.#words.subarray(0, length));
  }
}
