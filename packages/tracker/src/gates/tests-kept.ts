import type { Policy } from "@phasekit/core";
import { workGate } from "./work-gate.ts";

/** Options for `testsKept()`. All optional. */
export interface TestsKeptOptions {
  /** @default "tests-kept" */
  readonly gate?: string;
  readonly text?: (facts: { readonly found: readonly string[] }) => string;
}

/**
 * A gate: no test was deleted, skipped or loosened while the tests were failing. Doing so at another time is a doubt:
 * a test may really be out of date.
 *
 * @example
 * policies: [phaseTracker(), testsKept()]
 */
export function testsKept({ gate = "tests-kept", text = defaultText }: TestsKeptOptions = {}): Policy {
  return workGate(gate, {
    version: "3",
    check: ({ weakenedWhileFailing, edits, work: { weakened, unread } }) => {
      const found = [...weakenedWhileFailing];
      if (found.length > 0)
        return {
          verdict: "veto",
          why: `Tests were weakened while they failed: ${listed(found)}.`,
          text: text({ found }),
          evidence: found,
        };
      const changed = [...weakened.keys()];
      if (changed.length > 0)
        return { verdict: "doubt", why: `Tests were changed: ${listed(changed)}.`, evidence: changed };
      if (unread > 0) return { verdict: "doubt", why: "A call could not be read, and it may have changed a test." };
      return edits === 0 ? undefined : { verdict: "met", why: "No test was weakened." };
    },
  });
}

const listed = (found: readonly string[]): string => found.slice(0, 5).join("; ");

function defaultText({ found }: { readonly found: readonly string[] }): string {
  return `Tests were weakened while they failed: ${listed(found)}. Put them back and fix the code, or say why the test itself is wrong.`;
}
