import { alert, type Policy } from "@phasekit/core";
import { callDetector, type DetectorState } from "../call-detector.ts";
import type { CallOptions } from "../tool-rules.ts";

/** Options of `readOnlyChurn`. */
export interface ReadOnlyChurnOptions extends CallOptions {
  /** Looks in a row after the first edit. @default 15 */
  readonly times?: number;
}

interface ReadOnlyChurnState extends DetectorState {
  edited: boolean;
  looks: number;
}

/**
 * Notices that an agent which had begun to work only looks around again. Exploring before the first edit is never churn.
 *
 * Fires: an edit, then fifteen reads and searches with nothing tried or changed.
 * Silent: reading a whole repository first; looks with an edit, a test or a command between them.
 * Seen: claudette pull request 90, one large file read over and over around an edit that never lands.
 */
export function readOnlyChurn({ times = 15, tools }: ReadOnlyChurnOptions = {}): Policy {
  return callDetector<ReadOnlyChurnState>({
    name: "read-only-churn",
    tools,
    initial: () => ({ idle: true, edited: false, looks: 0 }),
    onCall: (state, call, { event }) => {
      if (call.landed && event.meaning.activity === "edit") state.edited = true;
      state.idle = !state.edited;
      if (!call.looks) state.looks = 0;
      else if (state.edited) state.looks += 1;
    },
    report: ({ looks }) =>
      looks >= times ? alert({ kind: "read-only-churn", signature: "", count: looks, severity: looks < times * 2 ? "notice" : "warning", evidence: { looks } }) : undefined,
  });
}
