import type { Progress } from "@phasekit/tooling/progress";
import { type Comparison, type MeasuredComparison, renderResult, type Result } from "./comparison.ts";

/** The comparisons of one part of the bench. */
export interface ChosenPart {
  readonly name: string;
  readonly comparisons: readonly Comparison[];
}

/** The outputs of `runComparisons()`. */
export interface ComparisonOutputs {
  readonly progress: Progress;
  /** Gets every comparison when it begins, and its rows as they are measured. */
  readonly measured: MeasuredComparison[];
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
}

/** The number of rows that these parts measure on this machine. */
export function countRows(parts: readonly ChosenPart[]): number {
  return parts
    .flatMap(({ comparisons }) => comparisons)
    .filter(({ missing }) => missing?.() === undefined)
    .reduce((sum, { rows }) => sum + Object.keys(rows).length, 0);
}

/**
 * Measures comparisons one after the other and prints every row when it is measured. A comparison that fails is
 * reported, and the others still run.
 */
export async function runComparisons(parts: readonly ChosenPart[], outputs: ComparisonOutputs): Promise<void> {
  const { progress, measured, signal } = outputs;
  for (const { name, comparisons } of parts) {
    for (const comparison of comparisons) {
      if (measured.length > 0) progress.print("");
      const entry = { title: comparison.title, baseline: comparison.baseline, results: [], notes: [] };
      measured.push(entry);
      try {
        await runComparison(comparison, { part: name, progress, signal, entry });
      } catch (error) {
        if (signal.aborted) throw error;
        Object.assign(entry, { failure: error instanceof Error ? (error.stack ?? error.message) : String(error) });
        progress.print(`\n  FAILED ${name}: ${String(error)}`);
      }
    }
  }
}

/** A comparison while it is measured. */
interface Entry {
  readonly title: string;
  baseline: string;
  readonly results: Result[];
  readonly notes: string[];
}

async function runComparison(
  { title, rows, missing, measure }: Comparison,
  {
    part,
    progress,
    signal,
    entry,
  }: Omit<ComparisonOutputs, "measured"> & { readonly part: string; readonly entry: Entry },
): Promise<void> {
  const { results, notes } = entry;
  const width = Math.max(...Object.values(rows).map(({ what }) => what.length));
  const printHead = (): void => progress.print(`${title}\n  1 × = ${entry.baseline}`);
  const printNotes = (lines: readonly string[]): void => {
    notes.push(...lines);
    for (const line of ["", ...lines]) progress.print(line === "" ? "" : `  ${line}`);
  };

  const reason = missing?.();
  if (reason !== undefined) {
    printHead();
    printNotes([reason]);
    return;
  }
  progress.now(`${part}: ${title}`);
  const lines = await measure({
    now: (task) => progress.now(`${part}: ${task}`),
    pause: progress.pause,
    signal,
    baseline: (figure) => {
      entry.baseline += `: ${figure}`;
    },
    row: (name, value, detail) => {
      const row = rows[name];
      if (row === undefined) throw new Error(`"${title}" does not have the row "${name}".`);
      if (results.length === 0) {
        printHead();
        progress.print("");
      }
      const result = { ...row, value, ...(detail !== undefined && { detail }) };
      results.push(result);
      progress.print(renderResult(result, width));
      progress.count();
    },
  });
  const left = Object.keys(rows).length - results.length;
  if (left !== 0) throw new Error(`"${title}" did not measure ${String(left)} of its rows.`);
  if (lines.length > 0) printNotes(lines);
}
