/** One row of the totals table: an area, how many cases were tried, and the cases that did not hold. */
export interface AttackTotal {
  readonly area: string;
  readonly tried: number;
  /** One line per case that did not hold; empty if all held. */
  readonly failures: readonly string[];
  /** A figure worth printing, such as the slowest case. */
  readonly note?: string;
}

/** The functions with which an attack reports while it runs. */
export interface AttackReport {
  /** Seconds a search may take; an attack with a fixed list of cases ignores it. */
  readonly seconds: number;
  /** Shows the task that runs now. */
  readonly now: (task: string) => void;
  /** Shows how far the task is, and throws after Ctrl-C. Called between two cases. */
  readonly pause: (done: number, of: number) => Promise<void>;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
  /** Reports an area when all of its cases were tried. */
  readonly total: (total: AttackTotal) => void;
}

/** A hostile test that is too long for `pnpm test`. A file `<name>.attack.ts` exports one as `attack`. */
export interface Attack {
  readonly name: string;
  /** The number of areas it reports. */
  readonly areas: number;
  readonly run: (report: AttackReport) => Promise<void>;
}
