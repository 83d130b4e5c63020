import { alert, type EventOf, type Policy } from "@phasekit/core";
import { outputText } from "../call.ts";
import { callDetector, type DetectorState } from "../call-detector.ts";
import type { CallOptions } from "../tool-rules.ts";

/** Options of `redTestLoop`. */
export interface RedTestLoopOptions extends CallOptions {
  /** Test runs with the same failing set, each after an edit. @default 4 */
  readonly times?: number;
}

interface RedTestLoopState extends DetectorState {
  /** The failing set of the last run; empty when nothing failed or nobody can tell. */
  failing: string;
  count: number;
  edited: boolean;
  edits: number;
}

/**
 * Notices edits that change nothing about what fails. An edit makes the next run a new experiment; here it is the
 * outcome that does not move.
 *
 * Fires: four test runs with the same failing tests and an edit before each.
 * Silent: a shrinking or changing set, runs without an edit between (another detector's), outputs without names or counts.
 * Seen: jiuwenswarm issue 3560: small patches and one failing assertion, fifteen to twenty times, until the budget is gone.
 */
export function redTestLoop({ times = 4, tools }: RedTestLoopOptions = {}): Policy {
  return callDetector<RedTestLoopState>({
    name: "red-test-loop",
    tools,
    initial: () => ({ idle: true, failing: "", count: 0, edited: false, edits: 0 }),
    onCall: (state, call, { event }) => {
      if (call.landed) {
        state.edited = true;
        state.edits += 1;
      }
      if (!call.checks && event.meaning.tests === undefined) return;
      const failing = failingSet(event);
      if (failing === undefined) return;
      if (failing === "" || failing !== state.failing) {
        state.count = failing === "" ? 0 : 1;
        state.edits = 0;
      } else if (state.edited) state.count += 1;
      state.failing = failing;
      state.edited = false;
      state.idle = state.count < times;
    },
    report: ({ failing, count, edits }) =>
      count >= times ? alert({ kind: "red-test-loop", signature: failing.slice(0, 120), count, evidence: { failing: failing.slice(0, 300), edits } }) : undefined,
  });
}

/** The tests that fail, by name where there are names; empty when all passed, `undefined` when nobody can tell. */
function failingSet({ meaning, output }: EventOf<"tool.finished">): string | undefined {
  const { tests } = meaning;
  if (tests !== undefined) {
    if (tests.verdict === "pass") return "";
    if (tests.failing !== undefined && tests.failing.length > 0) return tests.failing.toSorted().join(", ");
    return tests.failed === undefined ? undefined : counts(tests.failed, tests.passed);
  }
  const text = outputText(output);
  const names = [...text.matchAll(/^(?:FAILED|--- FAIL:|FAIL|not ok \d+ -|✗|✕|×) +(\S+)/gm)].map(([, name]) => name ?? "");
  if (names.length > 0) return [...new Set(names)].toSorted().join(", ");
  const failed = /(\d+) (?:tests? )?(?:failed|failing|failures?)\b/i.exec(text);
  const passed = /(\d+) (?:tests? )?(?:passed|passing)\b/i.exec(text);
  if (failed === null) return passed === null ? undefined : "";
  return Number(failed[1]) === 0 ? "" : counts(Number(failed[1]), passed === null ? undefined : Number(passed[1]));
}

function counts(failed: number, passed: number | undefined): string {
  return passed === undefined ? `${String(failed)} failed` : `${String(failed)} failed, ${String(passed)} passed`;
}
