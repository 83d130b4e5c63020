import { ownValue } from "@phasekit/core/adapter";
import type { TranscriptReport } from "@phasekit/transcripts";

/** Adds up the reports on several transcripts of one log. */
export function sumReports([first, ...others]: readonly TranscriptReport[]): TranscriptReport {
  if (first === undefined) throw new Error("There is no report to add up.");
  return others.reduce(addReports, first);
}

function addReports(sum: TranscriptReport, more: TranscriptReport): TranscriptReport {
  const added = Object.fromEntries(
    Object.entries(sum).map(([name, value]: [string, unknown]) => {
      const other: unknown = ownValue(more, name);
      return [name, typeof value === "number" && typeof other === "number" ? value + other : value];
    }),
  );
  return {
    ...sum,
    ...added,
    skipped: addCounts(sum.skipped, more.skipped),
    unknown: addCounts(sum.unknown, more.unknown),
    broken: addCounts(sum.broken, more.broken),
    brokenAt: [...sum.brokenAt, ...more.brokenAt],
  };
}

function addCounts(
  one: Readonly<Record<string, number>>,
  other: Readonly<Record<string, number>>,
): Readonly<Record<string, number>> {
  const sum = new Map(Object.entries(one));
  for (const [kind, count] of Object.entries(other)) sum.set(kind, (sum.get(kind) ?? 0) + count);
  return Object.fromEntries(sum);
}
