import { definePolicy, nudge, type Policy } from "@phasekit/core";
import { lastChange } from "@phasekit/core/account";
import { ownWork, workOf } from "../own-work.ts";

export interface TestFailuresOptions {
  /** Failing test runs in a row. @default 3 */
  readonly after?: number;
  /** `patched`: something was changed between these runs. */
  readonly text?: (facts: { readonly failures: number; readonly patched: boolean }) => string;
}

/**
 * Tells an agent whose tests keep failing to think again instead of patching on.
 *
 * @example
 * policies: [phaseTracker(), testFailures({ after: 4 })]
 */
export function testFailures({ after = 3, text = defaultText }: TestFailuresOptions = {}): Policy {
  return definePolicy({
    name: "test-failures",
    version: "2",
    ...ownWork(),
    decide: {
      "turn.started": (run, state) => {
        const { consecutiveTestFailures: failures, testStreakSeq, work } = workOf(run, state);
        const patched = (lastChange(work)?.seq ?? 0) > testStreakSeq;
        return failures >= after
          ? nudge(text({ failures, patched }), {
              episode: `streak:${String(testStreakSeq)}`,
              topic: "failures",
              priority: 15,
            })
          : undefined;
      },
    },
  });
}

function defaultText({ failures, patched }: { readonly failures: number; readonly patched: boolean }): string {
  const stop = patched ? "Stop patching." : "Running them again changes nothing.";
  return (
    `The tests have failed ${String(failures)} times in a row. ${stop} Read the whole error again, ask yourself ` +
    "whether your idea of the cause is right, and try another way instead of another variation."
  );
}
