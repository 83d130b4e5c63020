import type { Pause } from "./measure.ts";

/** A row of a comparison before it is measured. */
export interface Row {
  readonly what: string;
  /** `×`: how many times the baseline; the other units are absolute. */
  readonly unit: "×" | "B per event" | "kB" | "ms" | "per s";
  /** The highest value that keeps the promise; absent if nothing is promised. */
  readonly target?: number;
}

/** A row that was measured. */
export interface Result extends Row {
  readonly value: number;
  /** A figure beside the value, such as the added microseconds. */
  readonly detail?: string;
}

/** The results of a comparison, and its notes. */
export interface MeasuredComparison {
  readonly title: string;
  readonly baseline: string;
  readonly results: readonly Result[];
  /** Sentences that help to read the figures. */
  readonly notes: readonly string[];
  /** The error, if measuring failed. */
  readonly failure?: string;
}

/** The functions with which a comparison reports while it measures. */
export interface ComparisonReport<TRow extends string = string> {
  /** Shows the task that runs now. */
  readonly now: (task: string) => void;
  /** Called between two blocks, never inside a timed part. */
  readonly pause: Pause;
  /** Aborted by Ctrl-C, for processes that a comparison starts. */
  readonly signal: AbortSignal;
  /** Adds a figure of the baseline, such as its time, before the first row. */
  readonly baseline: (figure: string) => void;
  /** Reports a measured row. A detail is printed behind its value. */
  readonly row: (name: TRow, value: number, detail?: string) => void;
}

/** Rows that are measured side by side against one baseline. All rows are known before anything is measured. */
export interface Comparison<TRow extends string = string> {
  readonly title: string;
  readonly baseline: string;
  readonly rows: Readonly<Record<TRow, Row>>;
  /** The reason why nothing can be measured on this machine, if there is one. */
  readonly missing?: () => string | undefined;
  /** Reports every row once; returns the notes. */
  readonly measure: (report: ComparisonReport<TRow>) => Promise<readonly string[]>;
}

/** Describes a comparison; the names of its rows are inferred from their keys. */
export function defineComparison<const TRow extends string>(comparison: {
  readonly title: string;
  readonly baseline: string;
  readonly rows: Readonly<Record<TRow, Row>>;
  readonly missing?: () => string | undefined;
  readonly measure: (report: ComparisonReport<NoInfer<TRow>>) => Promise<readonly string[]>;
}): Comparison<TRow> {
  return comparison;
}

/** True if a result keeps its promise; `undefined` if there is none. */
export function isMet({ value, target }: Result): boolean | undefined {
  return target === undefined ? undefined : value <= target;
}

/** One line for people. `width` is that of the longest name. */
export function renderResult(result: Result, width: number): string {
  const met = isMet(result);
  const verdict = met === undefined ? "" : `${`≤ ${String(result.target)}`.padStart(7)}  ${met ? "ok  " : "over"}  `;
  const { what, detail = "" } = result;
  return `  ${what.padEnd(width)}  ${renderValue(result).padStart(18)}  ${verdict}${detail}`.trimEnd();
}

/** A value with its unit. */
export function renderValue({ value, unit }: Result): string {
  return unit === "×" ? `${value.toFixed(2)} ×` : `${value.toFixed(1)} ${unit}`;
}
