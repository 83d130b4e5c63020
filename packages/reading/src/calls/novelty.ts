import { hashText, setBounded } from "@phasekit/core/adapter";
import { textScanner } from "../answers/text-scanner.ts";
import { BoundedCounts, type SavedCounts } from "./bounded-counts.ts";
import { MovingValues, type SavedValues } from "./moving-values.ts";

/** How much an answer says that is new in this run. */
export interface Novelty {
  /** The identity of the question: another question of a look that got the same content before, or its own. */
  readonly about: string;
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
  /** True if the answer is content that was looked at: whoever gets the same content has asked the same. */
  readonly content?: boolean | undefined;
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
  readonly values: SavedValues;
}

/** A bounded memory of what the answers of one run said, as hashes of lines. */
export class NoveltyMemory {
  readonly #lines: BoundedCounts;
  readonly #scanner = textScanner();
  /** Words or lines of the question. */
  readonly #asked = new BoundedCounts(MAX_WORDS);
  /** Hashes of the last answers to each question. */
  readonly #answers = new Map<string, readonly number[]>();
  readonly #values = new MovingValues();

  constructor(memory: number) {
    this.#lines = new BoundedCounts(memory);
  }

  /** Measures an answer, then remembers it. */
  measure({ about: own, question, answer, values, named, content }: Measurement): Novelty {
    const isShort = answer.length <= SHORT;
    this.#asked.next();
    this.#scanner[isShort ? "collectWords" : "collectLines"](question(), this.#asked, values);
    const { count, print } = this.#scanner.scanLines(answer, values);
    const about = content === true ? this.#firstToShow(print, own) : own;
    const moved = this.#remember(about, print);
    // Answers to one question count once: a line that comes with each of them is what was asked for, not the envelope.
    this.#lines.next({ again: moved !== undefined });
    const compared = values && (isShort || moved !== undefined) ? hashText(about) : undefined;
    const { share, onlyMoves } = this.#measureLines(count, { isShort, values, named, about: compared });
    return onlyMoves && moved === true
      ? { about, gain: 0, moved: false }
      : { about, gain: moved === false ? 0 : share, moved };
  }

  /** Notes that something was changed: values that move afterwards may move because of that. */
  noteChange(): void {
    this.#values.clear();
  }

  /** The memory for a snapshot. The words of a question are forgotten with its answer. */
  save(): SavedNovelty {
    return {
      lines: this.#lines.save(),
      asked: this.#asked.save().round,
      answers: new Map(this.#answers),
      values: this.#values.save(),
    };
  }

  /** Takes what `save` returned. */
  load({ lines, asked, answers, values }: SavedNovelty): void {
    this.#lines.load(lines);
    this.#asked.load({ round: asked, grows: 1, used: [] });
    this.#answers.clear();
    for (const [about, prints] of answers) this.#answers.set(about, prints);
    this.#values.load(values);
  }

  /** The share of the scanned lines that is new. The lines count as seen afterwards. */
  #measureLines(
    count: number,
    {
      isShort,
      values,
      named,
      about,
    }: Pick<Measurement, "values" | "named"> & { readonly isShort: boolean; readonly about: string | undefined },
  ): { readonly share: number; readonly onlyMoves: boolean } {
    const { hashes, starts, ends, digits } = this.#scanner;
    let size = 0;
    let fresh = 0;
    let moves = 0;
    let others = 0;
    if (about !== undefined) this.#values.begin(about);
    for (let line = 0; line < count; line += 1) {
      const hash = hashes[line] ?? 0;
      const seen = this.#lines.add(hash);
      const weight = seen >= ENVELOPE ? 0 : Math.min((ends[line] ?? 0) - (starts[line] ?? 0), MAX_WEIGHT);
      size += weight;
      if (
        about !== undefined &&
        digits[line] === 1 &&
        this.#values.moveAlone(this.#scanner.readValues(line), this.#scanner)
      ) {
        moves += 1;
        continue;
      }
      if (seen === 0) others += 1;
      if (!isShort) {
        if (seen === 0 && !this.#asked.has(hash)) fresh += weight;
        continue;
      }
      const { count: words, unasked, rest } = this.#scanner.compareWords(line, this.#asked, values);
      if (unasked === 0 || (this.#lines.add(rest) > 0 && named !== true)) continue;
      if (seen === 0) fresh += weight * Math.min(1, (2 * unasked) / words);
    }
    return { share: size === 0 ? 0 : fresh / size, onlyMoves: moves > 0 && others === 0 };
  }

  /** The question that got this answer first. */
  #firstToShow(print: number, about: string): string {
    if (this.#answers.get(about)?.includes(print) === true) return about;
    for (const [other, prints] of this.#answers) if (prints.includes(print)) return other;
    return about;
  }

  #remember(about: string, print: number): boolean | undefined {
    const before = this.#answers.get(about);
    const moved = before === undefined ? undefined : !before.includes(print);
    setBounded(
      this.#answers,
      [about, moved === false ? (before ?? []) : [...(before ?? []), print].slice(-ANSWERS_KEPT)],
      MAX_QUESTIONS,
    );
    return moved;
  }
}
