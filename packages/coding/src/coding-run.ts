import {
  budget,
  type BudgetOptions,
  codingPhases,
  compactionLimit,
  compactionReminder,
  createRun,
  type Policy,
  type PolicyList,
  type Run,
  type RunOptions,
  subAgentLimit,
} from "@phasekit/core";
import { assertObject, currentPolicyName, printOnce } from "@phasekit/core/adapter";
import { reasonOfFailure, redactSecrets, type RunStore, storeRun } from "@phasekit/ledger";
import { keepRun } from "@phasekit/ledger/keep";
import { expectations, reading } from "@phasekit/reading";
import { claimsTrue, testsFresh, phaseTracker, resultNudges, saturation, testsKept } from "@phasekit/tracker";
import { escalation, reminders, budgetReview, watchdog } from "@phasekit/watchdog";
import { storeTarget } from "./store-target.ts";

/** The phases of a coding run. */
export type CodingPhase = keyof (typeof codingPhases)["phases"];

/** Options for `codingRun()`. All optional. */
export interface CodingRunOptions extends Omit<RunOptions<CodingPhase>, "graph" | "policies"> {
  /** Policies in addition to the defaults. One with the name of a default replaces it. */
  readonly policies?: PolicyList<CodingPhase>;
  /** Names of default policies to leave out, such as `tests-fresh`. @default none */
  readonly without?: readonly string[];
  /** Limits of the whole run. @default none */
  readonly budget?: BudgetOptions;
  /**
   * Where the run is stored: `true` for `.phasekit/runs`, where `phasekit why` finds it, the path of another folder, or
   * a store of `@phasekit/ledger`. In a folder, the run ends when the process ends; with `true`, a closing line says
   * how it went. @default not stored
   */
  readonly store?: true | string | RunStore;
}

/**
 * Creates a run for a coding agent with all defaults: it reads tools, shell commands and test output, follows the
 * phases of coding, notices stalls, restates what holds after a compaction, limits sub-agents, asks for tests before
 * "done", and stores no secrets.
 *
 * @example
 * const run = codingRun({ mode: "observe", task: { text: prompt } });
 * await trackRun(run, () => agent.generate(prompt));
 * console.log(run.outcome);
 */
export function codingRun(given: CodingRunOptions = {}): Run<CodingPhase> {
  assertObject(given, "options");
  const { store, ...options } = given;
  const target = storeTarget(store);
  const run = createRun<CodingPhase>(codingRunOptions(options));
  if (target === undefined) return run;
  if ("append" in target) storeRun(run, target);
  else keepRun(run, target);
  return run;
}

/** The defaults of `codingRun()` as options of a run, for `resumeRun`, `replayRun` and `simulateRun`. */
export function codingRunOptions(given: Omit<CodingRunOptions, "store"> = {}): RunOptions<CodingPhase> {
  assertObject(given, "options");
  const { policies = [], without: left = [], budget: limits, ...options } = given;
  const own = policies.flat();
  const without = left.map(currentPolicyName);
  const defaults = [...(shared ??= defaultPolicies()), ...(limits === undefined ? [] : [budget(limits)])];
  checkNames(
    without,
    defaults.map(({ name }) => name),
  );
  const replaced = new Set([...own.map(({ name }) => name), ...without]);
  return {
    redact: redactSecrets(),
    classify: reasonOfFailure,
    interpret: reading(),
    ...options,
    graph: codingPhases,
    policies: [...defaults.filter(({ name }) => !replaced.has(name)), ...own],
  };
}

/** A misspelled name would leave the policy in, without a word. */
function checkNames(names: readonly string[], known: readonly string[]): void {
  for (const name of names)
    if (!known.includes(name))
      printOnce(`\`without\` names "${name}", which is not a default policy. The defaults are ${known.join(", ")}.`);
}

// The state of a policy belongs to a run, so all runs share the policies. Their plan is then made once, which takes
// longer than anything else at the start of a run.
let shared: readonly Policy<unknown, CodingPhase>[] | undefined;

function defaultPolicies(): readonly Policy<unknown, CodingPhase>[] {
  const policies: PolicyList<CodingPhase> = [
    phaseTracker(),
    // An agent that still learns from what it reads is not stuck, however many files that takes.
    saturation({ onlyWithoutNews: true }),
    // A stall names failing commands, and why they fail.
    resultNudges({ shellFailures: false, textOnlyReminder: { after: 3 } }),
    expectations(),
    watchdog(),
    escalation(),
    budgetReview(),
    reminders(),
    compactionReminder(),
    compactionLimit(),
    subAgentLimit(),
    testsFresh(),
    testsKept(),
    claimsTrue(),
  ];
  return policies.flat();
}
