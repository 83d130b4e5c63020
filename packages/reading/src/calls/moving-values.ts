import type { TextScanner } from "../answers/text-scanner.ts";

const MAX_LINES = 512;
const FACTOR = 0x01000193;

/** The numbers of a line in a snapshot: each with the step it took last, and whether it was seen to move by itself. */
type SavedNumbers = readonly { readonly value: number; readonly step: number; readonly alone: boolean }[];

/** The memory of a run in a snapshot. */
export type SavedValues = readonly (readonly [line: string, numbers: SavedNumbers])[];

/** A line of the answers to a question, in a ring of all lines. */
class Line {
  key = 0;
  about = "";
  shape = 0;
  /** Which of the lines of this shape it is in its answer. */
  nth = 0;
  /** How many numbers of it are known; 0 for a line that was forgotten. */
  count = 0;
  /** Each of its numbers, the step it took last, and 1 if it was seen to move by itself. */
  readonly numbers: number[] = [];
  older: Line = this;
  newer: Line = this;
}

/**
 * Finds numbers that move by themselves, by comparing the answers to one question: they go down and up again, as a
 * clock, a load or a duration does. A number that only rises or only falls may be progress: pods that start, tests that
 * no longer fail.
 */
export class MovingValues {
  readonly #lines = new Map<number, Line>();
  /** Between the newest and the oldest line: to find its oldest key, a map passes all that were removed. */
  readonly #ends = new Line();
  /** How many lines of each shape the answer had so far. */
  readonly #shapes = new Map<number, number>();
  #about = "";
  #seed = 0;

  /** Begins an answer to a question, which is a hash in base 36. */
  begin(about: string): void {
    this.#about = about;
    this.#seed = parseInt(about, 36) | 0;
    this.#shapes.clear();
  }

  /** Notes a line of an answer. True if numbers in it have moved, and all of those move by themselves. */
  moveAlone(shape: number, { numbers, numberCount }: TextScanner): boolean {
    if (numberCount === 0) return false;
    const nth = (this.#shapes.get(shape) ?? 0) + 1;
    this.#shapes.set(shape, nth);
    const line = this.#lineOf(shape, nth);
    const { numbers: known, count } = line;
    let moved = 0;
    let alone = 0;
    for (let slot = 0; slot < numberCount; slot += 1) {
      const at = 3 * slot;
      const value = numbers[slot] as number;
      if (slot >= count) {
        known[at] = value;
        known[at + 1] = 0;
        known[at + 2] = 0;
      }
      const step = value - (known[at] as number);
      if (step === 0) continue;
      if ((known[at + 1] as number) < 0 && step > 0) known[at + 2] = 1;
      known[at] = value;
      known[at + 1] = step;
      moved += 1;
      alone += known[at + 2] as number;
    }
    line.count = numberCount;
    return moved > 0 && alone === moved;
  }

  /** Forgets everything. */
  clear(): void {
    for (const line of this.#lines.values()) line.count = 0;
  }

  /** The memory for a snapshot. */
  save(): SavedValues {
    const saved: SavedValues[number][] = [];
    for (let line = this.#ends.newer; line !== this.#ends; line = line.newer) {
      const { about, shape, nth, count, numbers } = line;
      if (count > 0)
        saved.push([
          `${about} ${String(shape)} ${String(nth)}`,
          Array.from({ length: count }, (_, slot) => {
            const [value = 0, step = 0, alone] = numbers.slice(3 * slot);
            return { value, step, alone: alone === 1 };
          }),
        ]);
    }
    return saved;
  }

  /** Takes what `save` returned. */
  load(saved: SavedValues): void {
    this.clear();
    for (const [key, numbers] of saved) {
      const [about = "", shape, nth] = key.split(" ");
      this.begin(about);
      const line = this.#lineOf(Number(shape), Number(nth));
      line.count = numbers.length;
      line.numbers.splice(0, Infinity, ...numbers.flatMap(({ value, step, alone }) => [value, step, Number(alone)]));
    }
  }

  /** A line of this answer, which is the newest then. Without room for a new one, the oldest is forgotten. */
  #lineOf(shape: number, nth: number): Line {
    const key = Math.imul(this.#seed ^ shape, FACTOR) ^ nth;
    let line = this.#lines.get(key);
    if (line === undefined) {
      // Lines are used again: most of what an answer leaves behind would be lines.
      if (this.#lines.size < MAX_LINES) line = new Line();
      else this.#lines.delete((line = this.#ends.newer).key);
      this.#lines.set((line.key = key), line);
    }
    // The place of the oldest line, or another line with the same key.
    if (line.about !== this.#about || line.shape !== shape || line.nth !== nth)
      Object.assign(line, { about: this.#about, shape, nth, count: 0 });
    const ends = this.#ends;
    line.older.newer = line.newer;
    line.newer.older = line.older;
    line.newer = ends;
    line.older = ends.older;
    ends.older.newer = line;
    ends.older = line;
    return line;
  }
}
