import type { LineValues } from "../answers/text-scanner.ts";

const MAX_LINES = 512;
/** The numbers of a line: each with the step it took last, and whether it was seen to move by itself. */
type Moving = readonly { readonly value: number; readonly step: number; readonly alone: boolean }[];

/** The memory of a run in a snapshot. */
export type SavedValues = readonly (readonly [line: string, moving: Moving])[];

/**
 * Finds numbers that move by themselves, by comparing the answers to one question: they go down and up again, as a
 * clock, a load or a duration does. A number that only rises or only falls may be progress: pods that start, tests that
 * no longer fail.
 */
export class MovingValues {
  readonly #lines = new Map<string, Moving>();
  /** How many lines of each shape the answer had so far. */
  readonly #shapes = new Map<number, number>();

  /** Begins an answer. */
  begin(): void {
    this.#shapes.clear();
  }

  /** Notes a line of an answer. True if numbers in it have moved, and all of those move by themselves. */
  moveAlone(about: number, { shape, numbers }: LineValues): boolean {
    if (numbers.length === 0) return false;
    const nth = (this.#shapes.get(shape) ?? 0) + 1;
    this.#shapes.set(shape, nth);
    const key = `${String(about)} ${String(shape)} ${String(nth)}`;
    const known = this.#lines.get(key);
    let moved = 0;
    let alone = 0;
    const now = numbers.map((value, slot) => {
      const { value: last = value, step: before = 0, alone: wasAlone = false } = known?.[slot] ?? {};
      const step = value - last;
      if (step === 0) return { value, step: before, alone: wasAlone };
      const isAlone = wasAlone || (before < 0 && step > 0);
      moved += 1;
      alone += Number(isAlone);
      return { value, step, alone: isAlone };
    });
    this.#lines.delete(key);
    this.#lines.set(key, now);
    if (this.#lines.size > MAX_LINES) {
      const [oldest] = this.#lines.keys();
      if (oldest !== undefined) this.#lines.delete(oldest);
    }
    return moved > 0 && alone === moved;
  }

  /** Forgets everything. */
  clear(): void {
    this.#lines.clear();
  }

  /** The memory for a snapshot. */
  save(): SavedValues {
    return [...this.#lines];
  }

  /** Takes what `save` returned. */
  load(saved: SavedValues): void {
    this.#lines.clear();
    for (const [key, moving] of saved) this.#lines.set(key, moving);
  }
}
