import { definePolicy, nudge, type Policy } from "@phasekit/core";
import { lastChange } from "@phasekit/core/account";
import { ownWork, workOf } from "../own-work.ts";

export interface TestFailuresOptions {
  /** Failing test runs in a row. @default 3 */
  readonly after?: number;
  readonly text?: (failing: FailingTests) => string;
}

interface FailingTests {
  readonly failures: number;
  /** Something was changed between these test runs. */
  readonly patched: boolean;
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

function defaultText({ failures, patched }: FailingTests): string {
  const advice = patched
    ? "Stop patching. Read the whole error again, ask yourself whether your idea of the cause is right, and try " +
      "another way instead of another variation."
    : "Nothing was changed in between, so they fail again. Read the whole error and change what causes it.";
  return `The tests have failed ${String(failures)} times in a row. ${advice}`;
}
