import type { RunEvent } from "@phasekit/core";
import { shownText } from "./shown-text.ts";

/** One nudge and what came of it. */
export interface NudgeRow {
  readonly seq: number;
  readonly policy: string;
  readonly text: string;
  /** Whether the agent saw it: in mode observe nobody does. */
  readonly applied: boolean;
  /** Guidance for a phase is no correction, so it has no effect to wait for. */
  readonly effect: "helped" | "ignored" | "lost" | "open" | "guidance";
}

/** Every nudge with its effect, in order. */
export function nudgeRows(events: readonly RunEvent[]): readonly NudgeRow[] {
  const rows: NudgeRow[] = [];
  const byId = new Map<string, number>();
  const settle = (id: string, effect: NudgeRow["effect"]): void => {
    const index = byId.get(id);
    const row = index === undefined ? undefined : rows[index];
    if (index !== undefined && row !== undefined) rows[index] = { ...row, effect };
  };
  for (const event of events) {
    if (event.type === "nudge.sent") {
      byId.set(event.nudge, rows.length);
      rows.push({ seq: event.seq, policy: event.by, text: shownText(event.text, 600), applied: event.applied, effect: event.guidance === true ? "guidance" : "open" });
    } else if (event.type === "nudge.settled") settle(event.nudge, event.helped ? "helped" : "ignored");
    else if (event.type === "nudge.lost") settle(event.nudge, "lost");
  }
  return rows;
}
