import { callOf } from "@phasekit/core/account";
import type { RunEvent } from "@phasekit/core";
import { createCallCounter } from "@phasekit/ledger/story";
import { type EventRow, eventRows } from "./event-rows.ts";
import { groupRows, type RowGroup } from "./group-rows.ts";
import type { PhaseBar } from "./timeline.ts";

/** One phase entry from the inside: its calls, and what Phasekit did. */
export interface EntryDetails {
  readonly turns: number;
  readonly calls: number;
  readonly failed: number;
  /** Absent if no model answer reports usage. */
  readonly tokens?: number;
  /** Calls that say the same are one row. */
  readonly callRows: readonly RowGroup<EventRow>[];
  /** Alerts, nudges, gates and reviews. */
  readonly steps: readonly RowGroup<EventRow>[];
}

const STEPS: ReadonlySet<EventRow["kind"]> = new Set(["alert", "nudge", "gate", "review"]);

/** Returns what happened in one phase entry. `events` are those of the run, in order. */
export function entryDetails(
  events: readonly RunEvent[],
  { firstSeq, lastSeq }: Pick<PhaseBar, "firstSeq" | "lastSeq">,
): EntryDetails {
  const isNewCall = createCallCounter();
  const newCalls = new Set(events.filter(isNewCall).map(({ seq }) => seq));
  const inside = events.filter(({ seq }) => seq >= firstSeq && seq <= lastSeq);
  const rows = eventRows(inside);
  const results = rows.filter(({ type }) => type === "tool.finished");
  const used = inside.flatMap((event) =>
    event.type === "model.answered" && event.usage !== undefined
      ? [(event.usage.inputTokens ?? 0) + (event.usage.outputTokens ?? 0)]
      : [],
  );
  return {
    turns: inside.filter(({ type }) => type === "turn.started").length,
    calls: inside.filter((event) => newCalls.has(event.seq)).length,
    failed: inside.filter((event) => event.type === "tool.finished" && callOf(event).failed).length,
    ...(used.length > 0 && { tokens: used.reduce((sum, count) => sum + count, 0) }),
    callRows: groupRows(results, ({ text }) => text),
    steps: groupRows(
      rows.filter(({ kind }) => STEPS.has(kind)),
      ({ text }) => text,
    ),
  };
}
