import { commandOf, printedLines } from "./command-text.ts";

/** Lines of a file, both ends included. */
export type LineRange = readonly [from: number, to: number];

/** The end of a range nobody named. */
export const toTheEnd = Number.MAX_SAFE_INTEGER;

/** Whether one of the ranges holds all of another. */
export function isCovered(ranges: readonly LineRange[], [from, to]: LineRange): boolean {
  return ranges.some(([start, end]) => start <= from && to <= end);
}

/** The ranges with one more, neighbours put together, in order. */
export function addRange(ranges: readonly LineRange[], added: LineRange): LineRange[] {
  const merged: LineRange[] = [];
  for (const range of [...ranges, added].toSorted(([a], [b]) => a - b)) {
    const last = merged.at(-1);
    if (last !== undefined && range[0] <= last[1] + 1) merged[merged.length - 1] = [last[0], Math.max(last[1], range[1])];
    else merged.push(range);
  }
  return merged;
}

/** The lines a read asks for; the whole file when it names none. */
export function rangeOf(input: unknown): LineRange | undefined {
  if (typeof input !== "object" || input === null) return undefined;
  const printed = printedLines(commandOf(input) ?? "");
  if (printed !== undefined) return [printed.from, printed.to];
  const given = input as Readonly<Record<string, unknown>>;
  const view = given["view_range"];
  if (Array.isArray(view) && typeof view[0] === "number") return [view[0], typeof view[1] === "number" && view[1] > 0 ? view[1] : toTheEnd];
  const start = given["offset"] ?? given["start_line"] ?? given["startLine"] ?? given["start"] ?? given["line_start"] ?? given["line_number"];
  const end = given["end_line"] ?? given["endLine"] ?? given["end"] ?? given["line_end"];
  const from = typeof start === "number" ? start : 1;
  if (typeof end === "number") return [from, end];
  const limit = given["limit"] ?? given["lines"] ?? given["num_lines"];
  return typeof limit === "number" ? [from, from + limit - 1] : [from, toTheEnd];
}
