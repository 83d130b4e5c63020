/** One row of the totals table: an area, how many cases were tried, and the cases that did not hold. */
export interface AttackTotal {
  readonly area: string;
  readonly tried: number;
  /** One line per case that did not hold; empty when everything held. */
  readonly failures: readonly string[];
  /** A figure worth printing, such as the slowest case. */
  readonly note?: string;
}

/** Options for one attack. */
interface AttackOptions {
  /** Seconds a search may take; an attack with a fixed list of cases ignores it. */
  readonly seconds: number;
}

/** A hostile test that is too long for `pnpm test`. A file `<name>.attack.ts` exports one as `attack`. */
export interface Attack {
  readonly name: string;
  readonly run: (options: AttackOptions) => Promise<readonly AttackTotal[]>;
}
