import { MAX_TEXT, type TextScanner } from "../answers/text-scanner.ts";

const MAX_LINES = 512;
const FACTOR = 0x01000193;

/** The numbers of a line in a snapshot: each with the step it took last, and whether it was seen to move by itself. */
type SavedNumbers = readonly { readonly value: number; readonly step: number; readonly alone: boolean }[];

/** The memory of a run in a snapshot. */
export type SavedValues = readonly (readonly [line: string, numbers: SavedNumbers])[];

/** A line of the answers to a question, in a ring of all lines. */
class Line {
  about = "";
  shape = 0;
  /** Which of the lines of this shape it is in its answer. */
  nth = 0;
  /** How often everything was forgotten before it was seen. */
  epoch = -1;
  count = 0;
  /** Each of its numbers, and the step it took last. */
  readonly steps: number[] = [];
  /** A bit for each number that moves by itself. */
  alone = 0;
  slot = 0;
  /** The next line of its slot. */
  next: Line | undefined = undefined;
  older: Line = this;
  newer: Line = this;
}

/**
 * Finds numbers that move by themselves, by comparing the answers to one question: they go down and up again, as a
 * clock, a load or a duration does. A number that only rises or only falls may be progress: pods that start, tests that
 * no longer fail.
 */
export class MovingValues {
  /** The first line of each slot. A map would pass all keys that were removed to find its oldest. */
  readonly #slots: (Line | undefined)[] = [];
  /** Between the newest and the oldest line. Lines are used again: most of what an answer leaves would be lines. */
  readonly #ends = new Line();
  #size = 0;
  readonly #shapes = (shared ??= new ShapeCounts());
  #about = "";
  #seed = 0;
  #epoch = 0;

  /** Begins an answer to a question, which is a hash in base 36. */
  begin(about: string): void {
    this.#about = about;
    this.#seed = parseInt(about, 36) | 0;
    this.#shapes.begin();
  }

  /** Notes a line of an answer. True if numbers in it have moved, and all of those move by themselves. */
  moveAlone(shape: number, { numbers, numberCount }: TextScanner): boolean {
    if (numberCount === 0) return false;
    const line = this.#lineOf(shape, this.#shapes.add(shape));
    const { steps, count } = line;
    let moved = 0;
    let alone = 0;
    for (let slot = 0; slot < numberCount; slot += 1) {
      const value = numbers[slot] ?? 0;
      const isKnown = slot < count;
      const step = isKnown ? value - (steps[2 * slot] ?? 0) : 0;
      const before = isKnown ? (steps[2 * slot + 1] ?? 0) : 0;
      steps[2 * slot] = value;
      steps[2 * slot + 1] = step === 0 ? before : step;
      if (step === 0) continue;
      if (before < 0 && step > 0) line.alone |= 1 << slot;
      moved += 1;
      alone += (line.alone >> slot) & 1;
    }
    line.count = numberCount;
    line.alone &= (1 << numberCount) - 1;
    return moved > 0 && alone === moved;
  }

  /** Forgets everything. */
  clear(): void {
    this.#epoch += 1;
  }

  /** The memory for a snapshot. */
  save(): SavedValues {
    const saved: SavedValues[number][] = [];
    for (let line = this.#ends.newer; line !== this.#ends; line = line.newer) {
      const { about, shape, nth, epoch, count, steps, alone } = line;
      if (epoch !== this.#epoch) continue;
      const numbers = Array.from({ length: count }, (_, slot) => ({
        value: steps[2 * slot] ?? 0,
        step: steps[2 * slot + 1] ?? 0,
        alone: ((alone >> slot) & 1) === 1,
      }));
      saved.push([`${about} ${String(shape)} ${String(nth)}`, numbers]);
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
      for (const [slot, { value, step, alone }] of numbers.entries()) {
        line.steps[2 * slot] = value;
        line.steps[2 * slot + 1] = step;
        line.alone |= Number(alone) << slot;
      }
    }
  }

  /** A line of this answer, which is the newest then. Without room for a new one, the oldest is forgotten. */
  #lineOf(shape: number, nth: number): Line {
    const key = Math.imul(this.#seed ^ shape, FACTOR) ^ nth;
    const slot = (key ^ (key >>> 16)) & (2 * MAX_LINES - 1);
    let line = this.#slots[slot];
    while (line !== undefined && !(line.nth === nth && line.shape === shape && line.about === this.#about))
      line = line.next;
    if (line === undefined) {
      line = this.#unusedLine();
      line.about = this.#about;
      line.shape = shape;
      line.nth = nth;
      line.epoch = -1;
      line.slot = slot;
      line.next = this.#slots[slot];
      this.#slots[slot] = line;
    }
    if (line.epoch !== this.#epoch) {
      line.epoch = this.#epoch;
      line.count = 0;
      line.alone = 0;
    }
    this.#renew(line);
    return line;
  }

  /** A new line, or the oldest one. */
  #unusedLine(): Line {
    if (this.#size < MAX_LINES) {
      this.#size += 1;
      return new Line();
    }
    const oldest = this.#ends.newer;
    let before = this.#slots[oldest.slot];
    if (before === oldest) this.#slots[oldest.slot] = oldest.next;
    while (before !== undefined && before.next !== oldest) before = before.next;
    if (before !== undefined) before.next = oldest.next;
    return oldest;
  }

  #renew(line: Line): void {
    const ends = this.#ends;
    line.older.newer = line.newer;
    line.newer.older = line.older;
    line.newer = ends;
    line.older = ends.older;
    ends.older.newer = line;
    ends.older = line;
  }
}

/** Slots for shapes: twice as many as an answer has lines at most. */
const SLOTS = MAX_TEXT;

/** Counts the lines of each shape in an answer. */
class ShapeCounts {
  readonly #shapes = new Int32Array(SLOTS);
  /** A mark for each slot: a number that grows from answer to answer, and the count. */
  readonly #marks = new Float64Array(SLOTS);
  #begun = 0;

  /** Begins an answer. */
  begin(): void {
    this.#begun += SLOTS;
  }

  /** Adds a line of a shape; returns how many there are. */
  add(shape: number): number {
    const begun = this.#begun;
    let slot = shape & (SLOTS - 1);
    while ((this.#marks[slot] ?? 0) > begun && this.#shapes[slot] !== shape) slot = (slot + 1) & (SLOTS - 1);
    this.#shapes[slot] = shape;
    return (this.#marks[slot] = Math.max(this.#marks[slot] ?? 0, begun) + 1) - begun;
  }
}

/** One answer is read at a time, so all runs share the counts. */
let shared: ShapeCounts | undefined;
