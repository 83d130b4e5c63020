import { textScanner } from "../answers/text-scanner.ts";
import { BoundedCounts, type SavedCounts } from "./bounded-counts.ts";

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
  /** Returns the text of the question. It is needed for short answers only. */
  readonly question: () => string;
  readonly answer: string;
  /** True if a number in the answer may be news. In an error it is a place or an id. */
  readonly values: boolean;
  /** True if the words of the question make a known line another one: twelve orders, each delivered. */
  readonly named?: boolean | undefined;
}

/** Answers up to this length are compared with the words of the question; a longer one is content. */
const SHORT = 600;
/** A line counts by its length up to here. */
const MAX_WEIGHT = 72;
const MAX_WORDS = 512;
const MAX_QUESTIONS = 512;
const ANSWERS_KEPT = 4;
/** Questions whose answers hold a line before it counts as envelope: a prompt, a footer, a warning on every call. */
const ENVELOPE = 3;

/** The memory of a run in a snapshot. */
export interface SavedNovelty {
  readonly lines: SavedCounts;
  /** Questions so far. */
  readonly asked: number;
  readonly answers: ReadonlyMap<string, readonly number[]>;
}

/** A bounded memory of what the answers of one run said, as hashes of lines. */
export class NoveltyMemory {
  readonly #lines: BoundedCounts;
  readonly #scanner = textScanner();
  /** Words or lines of the question. */
  readonly #asked = new BoundedCounts(MAX_WORDS);
  /** Hashes of the last answers to each question. */
  readonly #answers = new Map<string, readonly number[]>();

  constructor(memory: number) {
    this.#lines = new BoundedCounts(memory);
  }

  /** Measures an answer, then remembers it. */
  measure({ about, question, answer, values, named }: Measurement): Novelty {
    const isShort = answer.length <= SHORT;
    this.#asked.next();
    this.#scanner[isShort ? "collectWords" : "collectLines"](question(), this.#asked, { values });
    const { count, print } = this.#scanner.scanLines(answer, { values });
    const moved = this.#remember(about, print);
    // Answers to one question count once: a line that comes with each of them is what was asked for, not the envelope.
    this.#lines.next({ again: moved !== undefined });
    const share = this.#measureLines(count, { isShort, values, named });
    return { gain: moved === false ? 0 : share, moved };
  }

  /** The memory for a snapshot. The words of a question are forgotten with its answer. */
  save(): SavedNovelty {
    return { lines: this.#lines.save(), asked: this.#asked.save().round, answers: new Map(this.#answers) };
  }

  /** Takes what `save` returned. */
  load({ lines, asked, answers }: SavedNovelty): void {
    this.#lines.load(lines);
    this.#asked.load({ round: asked, grows: 1, used: [] });
    this.#answers.clear();
    for (const [about, prints] of answers) this.#answers.set(about, prints);
  }

  /** The share of the scanned lines that is new. The lines count as seen afterwards. */
  #measureLines(
    count: number,
    { isShort, values, named }: Pick<Measurement, "values" | "named"> & { readonly isShort: boolean },
  ): number {
    const { hashes, starts, ends } = this.#scanner;
    let size = 0;
    let fresh = 0;
    for (let line = 0; line < count; line += 1) {
      const hash = hashes[line] ?? 0;
      const seen = this.#lines.add(hash);
      const weight = seen >= ENVELOPE ? 0 : Math.min((ends[line] ?? 0) - (starts[line] ?? 0), MAX_WEIGHT);
      size += weight;
      if (!isShort) {
        if (seen === 0 && !this.#asked.has(hash)) fresh += weight;
        continue;
      }
      const { count: words, unasked, rest } = this.#scanner.compareWords(line, this.#asked, { values });
      if (unasked === 0 || (this.#lines.add(rest) > 0 && named !== true)) continue;
      if (seen === 0) fresh += weight * Math.min(1, (2 * unasked) / words);
    }
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
}
