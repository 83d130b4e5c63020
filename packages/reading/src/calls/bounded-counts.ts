/** Counts numbers and forgets the oldest ones. */
export class BoundedCounts {
  readonly #counts = new Map<number, number>();
  readonly #order: Int32Array;
  #next = 0;

  constructor(size: number) {
    this.#order = new Int32Array(size);
  }

  /** How often a number was added. */
  get(member: number): number {
    return this.#counts.get(member) ?? 0;
  }

  add(member: number): void {
    const count = this.#counts.get(member);
    if (count === undefined) {
      if (this.#counts.size >= this.#order.length) this.#counts.delete(this.#order[this.#next] ?? 0);
      this.#order[this.#next] = member;
      this.#next = (this.#next + 1) % this.#order.length;
    }
    this.#counts.set(member, (count ?? 0) + 1);
  }
}
