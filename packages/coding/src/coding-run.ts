import { budget, type BudgetOptions, codingPhases, createRun, type Policy, type PolicyList, type Run, type RunOptions } from "@phasekit/core";
import { archiveRun, classifyFailure, redactSecrets, type RunStore } from "@phasekit/ledger";
import { codingInterpreter, freshTests, phaseTracker, resultNudges, saturation, testsNotWeakened } from "@phasekit/tracker";
import { activityLog, escalation, fingerprints, reminders, review, watchdog } from "@phasekit/watchdog";

/** The phases of a coding run. */
export type CodingPhase = keyof (typeof codingPhases)["phases"];

/** What may be said about a coding run; everything has a default. */
export interface CodingRunOptions extends Omit<RunOptions<CodingPhase>, "graph" | "policies"> {
  /** Policies beside the default ones. One with the name of a default takes its place. */
  readonly policies?: PolicyList<CodingPhase>;
  /** Names of default policies to leave out, such as `fresh-tests`. @default none */
  readonly without?: readonly string[];
  /** Limits of the whole run. @default none */
  readonly budget?: BudgetOptions;
  /** Where the run is kept: a store of `@phasekit/ledger`. @default nowhere */
  readonly archive?: RunStore;
}

/**
 * A run for a coding agent with the default set of everything: it reads tools, shell commands and test output, follows
 * the phases of coding, notices loops, asks for tests before "done", and stores no secrets.
 *
 * @example
 * const run = codingRun({ mode: "observe", task: { text: prompt } });
 * await trackRun(run, () => agent.generate(prompt));
 * console.log(run.outcome);
 */
export function codingRun({ archive, ...options }: CodingRunOptions = {}): Run<CodingPhase> {
  const run = createRun<CodingPhase>(codingRunOptions(options));
  if (archive !== undefined) archiveRun(run, archive);
  return run;
}

/** The same default set as options of a run: for `resumeRun`, `replayRun` and `simulateRun`. */
export function codingRunOptions({ policies = [], without = [], budget: limits, ...options }: Omit<CodingRunOptions, "archive"> = {}): RunOptions<CodingPhase> {
  const own = policies.flat();
  const replaced = new Set([...own.map(({ name }) => name), ...without]);
  return {
    redact: redactSecrets(),
    classify: (error) => classifyFailure(error).reason,
    interpret: [codingInterpreter(), fingerprints()],
    ...options,
    graph: codingPhases,
    policies: [...defaultPolicies(limits).filter(({ name }) => !replaced.has(name)), ...own],
  };
}

function defaultPolicies(limits: BudgetOptions | undefined): readonly Policy<unknown, CodingPhase>[] {
  const policies: PolicyList<CodingPhase> = [
    phaseTracker(),
    saturation(),
    resultNudges(),
    watchdog(),
    activityLog(),
    escalation(),
    review(),
    reminders(),
    freshTests(),
    testsNotWeakened(),
    ...(limits === undefined ? [] : [budget(limits)]),
  ];
  return policies.flat();
}
