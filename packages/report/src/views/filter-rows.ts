import type { EventRow } from "./event-rows.ts";

/** What to show of a list of events. Everything given must hold. */
export interface RowFilter {
  /** Words that must all occur, in any order and case. */
  readonly text?: string;
  readonly phase?: string;
  readonly tool?: string;
  readonly outcome?: string;
  /** Only findings: loops, nudges, refusals, gates, reviews, stops. */
  readonly findings?: boolean;
}

const FINDINGS: ReadonlySet<string> = new Set(["alert", "nudge", "gate", "review"]);

/** The text a search looks at: made once for each row, because a search looks at all of them. */
export function searchText({ type, text, tool, phase, seq }: EventRow): string {
  return `${type} ${text} ${tool ?? ""} ${phase} #${String(seq)}`.toLowerCase();
}

/** The rows that match, as indexes into the list, so that a long list is not copied. */
export function filterRows(rows: readonly EventRow[], texts: readonly string[], filter: RowFilter): readonly number[] {
  const words = (filter.text ?? "").toLowerCase().split(/\s+/).filter((word) => word !== "");
  const found: number[] = [];
  for (const [index, row] of rows.entries()) {
    if (filter.phase !== undefined && row.phase !== filter.phase) continue;
    if (filter.tool !== undefined && row.tool !== filter.tool) continue;
    if (filter.outcome !== undefined && row.outcome !== filter.outcome) continue;
    if (filter.findings === true && !FINDINGS.has(row.kind) && row.outcome !== "refused" && row.type !== "stop.requested") continue;
    const text = texts[index] ?? "";
    if (words.every((word) => text.includes(word))) found.push(index);
  }
  return found;
}
