import type { RunEvent } from "@phasekit/core";
import { shownText } from "./shown-text.ts";

/** One nudge and its effect. */
export interface NudgeRow {
  readonly seq: number;
  readonly policy: string;
  readonly text: string;
  /** True if the agent got the nudge; never in mode observe. */
  readonly applied: boolean;
  /** `guidance`: phase guidance is not a correction, so it has no effect. A nudge that was not sent has none either. */
  readonly effect: "helped" | "ignored" | "lost" | "open" | "guidance" | "not sent";
}

/** Returns every nudge with its effect, in order. */
export function nudgeRows(events: readonly RunEvent[]): readonly NudgeRow[] {
  const rows: NudgeRow[] = [];
  const byId = new Map<string, number>();
  const settle = (id: string, effect: NudgeRow["effect"]): void => {
    const index = byId.get(id);
    const row = index === undefined ? undefined : rows[index];
    if (index !== undefined && row?.applied === true) rows[index] = { ...row, effect };
  };
  for (const event of events) {
    if (event.type === "nudge.sent") {
      byId.set(event.nudge, rows.length);
      rows.push({
        seq: event.seq,
        policy: event.by,
        text: shownText(event.text, 600),
        applied: event.applied,
        effect: event.guidance === true ? "guidance" : event.applied ? "open" : "not sent",
      });
    } else if (event.type === "nudge.settled") settle(event.nudge, event.helped ? "helped" : "ignored");
    else if (event.type === "nudge.lost") settle(event.nudge, "lost");
  }
  return rows;
}
