import type { EventRow } from "./event-rows.ts";

/** A filter for the event list. All given conditions must match. */
export interface RowFilter {
  /** Words that must all occur, in any order; ignores case. */
  readonly text?: string;
  readonly phase?: string;
  readonly tool?: string;
  readonly outcome?: string;
  /** Only alerts, nudges, refusals, gates, reviews and stops. */
  readonly findings?: boolean;
}

const FINDINGS: ReadonlySet<string> = new Set(["alert", "nudge", "gate", "review"]);

/** Returns the search text of a row; computed once per row, because a search reads all rows. */
export function searchText({ type, text, tool, phase, seq }: EventRow): string {
  return `${type} ${text} ${tool ?? ""} ${phase} #${String(seq)}`.toLowerCase();
}

/** Returns the indexes of the matching rows, so that a long list is not copied. */
export function filterRows(rows: readonly EventRow[], texts: readonly string[], filter: RowFilter): readonly number[] {
  const words = (filter.text ?? "")
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  const found: number[] = [];
  for (const [index, row] of rows.entries()) {
    if (filter.phase !== undefined && row.phase !== filter.phase) continue;
    if (filter.tool !== undefined && row.tool !== filter.tool) continue;
    if (filter.outcome !== undefined && row.outcome !== filter.outcome) continue;
    if (
      filter.findings === true &&
      !FINDINGS.has(row.kind) &&
      row.outcome !== "refused" &&
      row.type !== "stop.requested"
    )
      continue;
    const text = texts[index] ?? "";
    if (words.every((word) => text.includes(word))) found.push(index);
  }
  return found;
}
