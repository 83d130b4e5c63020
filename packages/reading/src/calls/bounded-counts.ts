/** Slots that are searched for a number. */
const WAYS = 8;
const COUNT_BITS = 4;
const MAX_COUNT = 15;
/** A mark is a round, a count, and whether the count grew in that round. */
const GREW = 1;
const ROUND_BITS = COUNT_BITS + 1;

/** Counts in a snapshot; `used` has a slot, a number and a mark for each. */
export interface SavedCounts {
  readonly round: number;
  readonly grows: number;
  readonly used: readonly number[];
}

/**
 * Counts numbers, each once per round, and forgets old ones. Numbers that share a group of slots push each other out,
 * the one that was not added for longest first. Nothing is ever moved, so the work per number is constant.
 */
export class BoundedCounts {
  readonly #keys: Int32Array;
  /** The mark of each number: the round in which it was added last, and its count. 0 for an empty slot. */
  readonly #marks: Int32Array;
  #round = 1;
  #grows = 1;

  /** Creates counts of about this many numbers. */
  constructor(size: number) {
    let slots = WAYS;
    while (slots < size) slots *= 2;
    this.#keys = new Int32Array(slots);
    this.#marks = new Int32Array(slots);
  }

  /** Begins a new round. With `again` it counts only numbers that have no count yet. */
  next({ again = false }: { readonly again?: boolean } = {}): void {
    this.#round += 1;
    this.#grows = again ? 0 : GREW;
  }

  /** Adds a number; returns its count before this round, up to 14. */
  add(key: number): number {
    const first = this.#groupOf(key);
    const round = this.#round << ROUND_BITS;
    let oldest = first;
    for (let slot = first; slot < first + WAYS; slot += 1) {
      const mark = this.#marks[slot] ?? 0;
      if (mark !== 0 && this.#keys[slot] === key) {
        const count = (mark >> 1) & MAX_COUNT;
        if (mark >= round) return count - (mark & GREW);
        const before = Math.min(count, MAX_COUNT - 1);
        this.#marks[slot] = round | ((before + this.#grows) << 1) | this.#grows;
        return before;
      }
      if (mark < (this.#marks[oldest] ?? 0)) oldest = slot;
    }
    this.#keys[oldest] = key;
    this.#marks[oldest] = round | (1 << 1) | GREW;
    return 0;
  }

  /** True if a number was added in this round. */
  has(key: number): boolean {
    const first = this.#groupOf(key);
    for (let slot = first; slot < first + WAYS; slot += 1)
      if (this.#keys[slot] === key) return (this.#marks[slot] ?? 0) >> ROUND_BITS === this.#round;
    return false;
  }

  /** The numbers with their slots and marks, for a snapshot. */
  save(): SavedCounts {
    const used: number[] = [];
    for (const [slot, mark] of this.#marks.entries()) if (mark !== 0) used.push(slot, this.#keys[slot] ?? 0, mark);
    return { round: this.#round, grows: this.#grows, used };
  }

  /** Takes what `save` returned. */
  load({ round, grows, used }: SavedCounts): void {
    this.#round = round;
    this.#grows = grows;
    this.#keys.fill(0);
    this.#marks.fill(0);
    for (let index = 0; index < used.length; index += 3) {
      const slot = used[index] ?? 0;
      this.#keys[slot] = used[index + 1] ?? 0;
      this.#marks[slot] = used[index + 2] ?? 0;
    }
  }

  #groupOf(key: number): number {
    return (key ^ (key >>> 15)) & (this.#keys.length - WAYS);
  }
}
