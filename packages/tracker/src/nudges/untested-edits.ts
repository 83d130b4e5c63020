import { definePolicy, nudge, type Policy, type RunView } from "@phasekit/core";
import { remainingBudget } from "@phasekit/core/adapter";
import { ownWork, workOf } from "../own-work.ts";

export interface UntestedEditsFacts {
  readonly files: number;
  /** What is left of the budget, in percent. */
  readonly percent: number;
}

export interface UntestedEditsOptions {
  /** What has to be left of the budget, in percent, for it to be near the end. @default 20 */
  readonly nearEndPercent?: number;
  readonly text?: (facts: UntestedEditsFacts) => string;
}

const LIMITS = ["turns", "tokens", "timeMs", "cost"] as const;

/**
 * Tells an agent near the end of its budget that nothing it changed was ever tested, documents aside. Needs a budget:
 * without a limit there is no end to be near to.
 *
 * @example
 * policies: [budget({ turns: 40 }), phaseTracker(), untestedEdits()]
 */
export function untestedEdits({ nearEndPercent = 20, text = defaultText }: UntestedEditsOptions = {}): Policy {
  return definePolicy({
    name: "untested-edits",
    version: "1",
    ...ownWork(),
    decide: {
      "turn.started": (run, state) => {
        const { work, testsRun, fileModifiedCount } = workOf(run, state);
        if (testsRun > 0 || ![...work.files.values()].some(({ needsSince }) => needsSince > 0)) return undefined;
        const percent = percentLeft(run);
        if (percent === undefined || percent > nearEndPercent) return undefined;
        return nudge(text({ files: fileModifiedCount, percent }), {
          episode: "untested",
          topic: "budget",
          priority: 25,
        });
      },
    },
  });
}

/** What is left of the limit that is nearest to its end. */
function percentLeft(run: RunView): number | undefined {
  const shares = LIMITS.flatMap((limit) => {
    const all = run.limits[limit];
    const rest = remainingBudget(run, limit);
    return all === undefined || all <= 0 || rest === undefined ? [] : [Math.ceil((rest * 100) / all)];
  });
  return shares.length === 0 ? undefined : Math.min(...shares);
}

function defaultText({ files, percent }: UntestedEditsFacts): string {
  return `You have changed ${files === 1 ? "a file" : `${String(files)} files`} and run no test, and ${String(percent)} % of your budget is left. Run the tests now.`;
}
