import { definePolicy, nudge, type Policy } from "@phasekit/core";
import { ownWork, workOf } from "../own-work.ts";

export interface TestFailuresOptions {
  /** Failing test runs in a row. @default 3 */
  readonly after?: number;
  readonly text?: (facts: { readonly failures: number }) => string;
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
    version: "1",
    ...ownWork(),
    decide: {
      "turn.started": (run, state) => {
        const { consecutiveTestFailures: failures, testStreakSeq } = workOf(run, state);
        return failures >= after
          ? nudge(text({ failures }), { episode: `streak:${String(testStreakSeq)}`, topic: "failures", priority: 15 })
          : undefined;
      },
    },
  });
}

function defaultText({ failures }: { readonly failures: number }): string {
  return `The tests have failed ${String(failures)} times in a row. Stop patching. Read the whole error again, ask yourself whether your idea of the cause is right, and try another way instead of another variation.`;
}
