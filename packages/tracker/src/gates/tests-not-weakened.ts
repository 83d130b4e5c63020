import { definePolicy, type Policy, veto, vouch } from "@phasekit/core";
import { type OwnWork, ownWork, workOf } from "../own-work.ts";

export interface TestsNotWeakenedOptions {
  /** @default "tests-not-weakened" */
  readonly gate?: string;
  readonly text?: (facts: { readonly found: readonly string[] }) => string;
}

/**
 * A gate: no test was deleted, skipped or loosened while the tests were failing. Doing so at another time is CONCERNS: a
 * test may really be out of date.
 *
 * @example
 * policies: [phaseTracker(), testsNotWeakened()]
 */
export function testsNotWeakened({ gate = "tests-not-weakened", text = defaultText }: TestsNotWeakenedOptions = {}): Policy<OwnWork> {
  return definePolicy({
    name: gate,
    version: "1",
    ...ownWork(),
    decide: {
      "finish.requested": (run, state) => {
        const { weakenedWhileFailing, weakened, edits } = workOf(run, state);
        if (weakenedWhileFailing.length > 0) return veto(text({ found: weakenedWhileFailing }), { gate, evidence: [...weakenedWhileFailing] });
        if (weakened.length > 0) return vouch({ gate, verdict: "concerns", evidence: [...weakened] });
        return edits === 0 ? undefined : vouch({ gate, verdict: "pass" });
      },
    },
  });
}

function defaultText({ found }: { readonly found: readonly string[] }): string {
  return `Tests were weakened while they failed: ${found.slice(0, 5).join("; ")}. Put them back and fix the code, or say why the test itself is wrong.`;
}
