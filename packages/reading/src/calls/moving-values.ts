import { MAX_TEXT, type TextScanner } from "../answers/text-scanner.ts";

const MAX_LINES = 512;
const FACTOR = 0x01000193;

/** The numbers of a line in a snapshot: each with the step it took last, and whether it was seen to move by itself. */
type SavedNumbers = readonly { readonly value: number; readonly step: number; readonly alone: boolean }[];

/** The memory of a run in a snapshot. */
export type SavedValues = readonly (readonly [line: string, numbers: SavedNumbers])[];

/** A line of the answers to a question, in a ring from the line that was seen last to the oldest. */
interface Line {
  key: number;
  about: string;
  shape: number;
  /** Which of the lines of this shape it is in its answer. */
  nth: number;
  /** The value and the step of each of its numbers, and a bit for each that moves by itself. */
  count: number;
  readonly values: number[];
  readonly steps: number[];
  alone: number;
  older: Line;
  newer: Line;
}

/**
 * Finds numbers that move by themselves, by comparing the answers to one question: they go down and up again, as a
 * clock, a load or a duration does. A number that only rises or only falls may be progress: pods that start, tests that
 * no longer fail.
 */
export class MovingValues {
  readonly #lines = new Map<number, Line>();
  /** Between the newest and the oldest line. To find its oldest key, a map passes all that were removed. */
  readonly #ends = createLine();
  readonly #shapes = (shared ??= new ShapeCounts());
  #about = "";
  #seed = 0;

  /** Begins an answer to a question, of which it gets a hash in base 36. */
  begin(about: string): void {
    this.#about = about;
    this.#seed = parseInt(about, 36) | 0;
    this.#shapes.begin();
  }

  /** Notes a line of an answer. True if numbers in it have moved, and all of those move by themselves. */
  moveAlone(shape: number, { numbers, numberCount }: TextScanner): boolean {
    if (numberCount === 0) return false;
    const line = this.#lineOf(shape, this.#shapes.add(shape));
    const { values, steps, count } = line;
    let moved = 0;
    let alone = 0;
    for (let slot = 0; slot < numberCount; slot += 1) {
      const value = numbers[slot] ?? 0;
      const isKnown = slot < count;
      const step = isKnown ? value - (values[slot] ?? 0) : 0;
      const before = isKnown ? (steps[slot] ?? 0) : 0;
      values[slot] = value;
      steps[slot] = step === 0 ? before : step;
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
    this.#lines.clear();
    const ends = this.#ends;
    ends.older = ends.newer = ends;
  }

  /** The memory for a snapshot. */
  save(): SavedValues {
    const saved: SavedValues[number][] = [];
    for (let line = this.#ends.newer; line !== this.#ends; line = line.newer) {
      const { about, shape, nth, count, values, steps, alone } = line;
      saved.push([
        `${about} ${String(shape)} ${String(nth)}`,
        values
          .slice(0, count)
          .map((value, slot) => ({ value, step: steps[slot] ?? 0, alone: ((alone >> slot) & 1) === 1 })),
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
      for (const [slot, { value, step, alone }] of numbers.entries()) {
        line.values[slot] = value;
        line.steps[slot] = step;
        line.alone |= Number(alone) << slot;
        line.count = slot + 1;
      }
    }
  }

  /** A line of this answer, which is the newest then. Without room for a new one, the oldest is forgotten. */
  #lineOf(shape: number, nth: number): Line {
    const key = Math.imul(this.#seed ^ shape, FACTOR) ^ nth;
    let line = this.#lines.get(key);
    if (line === undefined) {
      line = this.#lines.size < MAX_LINES ? createLine() : this.#ends.newer;
      this.#lines.delete(line.key);
      this.#lines.set(key, line);
      line.key = key;
      line.nth = 0;
    }
    // The place of the oldest one, or of another line with the same key.
    if (line.nth !== nth || line.shape !== shape || line.about !== this.#about) {
      line.about = this.#about;
      line.shape = shape;
      line.nth = nth;
      line.alone = line.count = 0;
    }
    this.#renew(line);
    return line;
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

function createLine(): Line {
  const line = { key: 0, about: "", shape: 0, nth: 0, count: 0, values: [], steps: [], alone: 0 } as unknown as Line;
  line.older = line.newer = line;
  return line;
}

/** Slots for shapes: twice as many as an answer has lines at most. */
const SLOTS = MAX_TEXT;

/** Counts the lines of each shape in an answer. */
class ShapeCounts {
  readonly #shapes = new Int32Array(SLOTS);
  readonly #counts = new Int32Array(SLOTS);
  /** The answer for which a slot was used last. */
  readonly #rounds = new Int32Array(SLOTS);
  #round = 0;

  /** Begins an answer. */
  begin(): void {
    this.#round = (this.#round + 1) | 0;
  }

  /** Adds a line of a shape; returns how many there are. */
  add(shape: number): number {
    let slot = shape & (SLOTS - 1);
    while (this.#rounds[slot] === this.#round && this.#shapes[slot] !== shape) slot = (slot + 1) & (SLOTS - 1);
    if (this.#rounds[slot] !== this.#round) {
      this.#rounds[slot] = this.#round;
      this.#shapes[slot] = shape;
      this.#counts[slot] = 0;
    }
    return (this.#counts[slot] = (this.#counts[slot] ?? 0) + 1);
  }
}

/** One answer is read at a time, so all runs share the counts. */
let shared: ShapeCounts | undefined;
