import { alert, type Policy } from "@phasekit/core";
import { callDetector, type DetectorState } from "../call-detector.ts";
import { isOverview } from "../fingerprint.ts";
import { outputText } from "../result-text.ts";
import type { CallOptions } from "../tool-rules.ts";

/** Options of `backToExploring`. */
export interface BackToExploringOptions extends CallOptions {
  /** Looks since the tests were green. @default 8 */
  readonly times?: number;
}

interface BackToExploringState extends DetectorState {
  edited: boolean;
  green: boolean;
  looks: number;
}

/**
 * Notices that the work is verified and the agent goes on reading instead of finishing.
 *
 * Fires: an edit, green tests, then eight looks around.
 * Silent: green tests before any edit, a look at the diff, looks after a new message from the user.
 * Seen: blade-code issue 21: all tests green, then the same searches and files until the limit of 80 turns.
 */
export function backToExploring({ times = 8, tools }: BackToExploringOptions = {}): Policy {
  return callDetector<BackToExploringState>({
    name: "back-to-exploring",
    tools,
    initial: () => ({ idle: true, edited: false, green: false, looks: 0 }),
    onCall: (state, call, { event }) => {
      if (call.landed) {
        state.edited ||= event.meaning.activity === "edit";
        state.green = false;
      } else if (event.meaning.tests !== undefined || call.checks) {
        const { tests } = event.meaning;
        state.green = state.edited && !call.failed && (tests === undefined ? isGreen(outputText(event.output)) : tests.verdict === "pass");
        state.looks = 0;
      }
      state.idle = !state.green;
      if (!state.green) state.looks = 0;
      else if (call.looks && !isOverview(call.fingerprint)) state.looks += 1;
    },
    report: ({ looks }) =>
      looks >= times ? alert({ kind: "back-to-exploring", signature: "", count: looks, severity: looks < times * 2 ? "notice" : "warning", evidence: { looks } }) : undefined,
  });
}

function isGreen(text: string): boolean {
  return /\b[1-9]\d* (?:tests? )?pass(?:ed|ing)\b|\btest result: ok\b|^ok\s+\S+\s+[\d.]+s/m.test(text) && !/\b[1-9]\d* (?:tests? )?fail/i.test(text);
}
