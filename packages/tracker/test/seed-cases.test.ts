import { describe, expect, it } from "vitest";
import { bash, codingRun, finished, type Step } from "./coding-run.ts";
import seedCases from "./__fixtures__/seed-cases.json" with { type: "json" };
import { resultNudges } from "../src/nudges/result-nudges.ts";
import { phaseBudget } from "../src/phase-budget.ts";
import { type CodingPhase, phaseTracker } from "../src/phase-tracker.ts";
import { saturation } from "../src/saturation.ts";
import { type PhaseState, trackerState } from "../src/tracker-state.ts";

// The cases of shared/cases/seed_cases.json on the tracker, as they are. Those on graphs, budgets and reminders in
// general are core's: see seed-cases.test.ts there. `loop_detected` and `repeat_count` belong to the watchdog.

interface SeedCase {
  readonly area: string;
  readonly name: string;
  readonly given: {
    readonly events?: readonly (
      Step | { readonly control: "reset" } | { readonly transition: { readonly to: CodingPhase } }
    )[];
    readonly config?: {
      readonly nudge_threshold?: number;
      readonly file_threshold?: number;
      readonly iteration_threshold?: number;
      readonly max_iterations?: number;
      readonly phase_budget?: {
        readonly max_exploration_percent: number;
        readonly reserved_verification_percent: number;
        readonly enabled: boolean;
      };
    };
    readonly raw_result?: unknown;
  };
  readonly expected: Readonly<Record<string, unknown>>;
}

const cases = seedCases as unknown as readonly SeedCase[];

const NUDGES: Readonly<Record<string, string>> = {
  shell_failure_cascade: "shell-failures",
  test_fix_rethink: "test-failures",
  verification_reserve: "phase-budget",
};

function play({ given }: SeedCase) {
  const { events: steps = [], config = {} } = given;
  const { phase_budget: shares, max_iterations: turns } = config;
  const start = () =>
    codingRun({
      policies: [
        phaseTracker(),
        saturation({
          fileThreshold: config.file_threshold ?? config.nudge_threshold ?? 10,
          iterationThreshold: config.iteration_threshold ?? 15,
        }),
        phaseBudget({
          enabled: shares?.enabled ?? false,
          maxExplorationPercent: shares?.max_exploration_percent ?? 30,
          reservedVerificationPercent: shares?.reserved_verification_percent ?? 20,
          ...(turns !== undefined && { of: { turns } }),
        }),
        resultNudges(),
      ],
    });
  let logged = start();
  for (const step of steps) {
    if ("control" in step) logged = start();
    else if ("transition" in step) logged.run.transition(step.transition.to);
    else if (step.ok === undefined) logged.run.beforeTool({ tool: step.tool, input: step.args });
    else logged.take(step);
  }
  logged.run.beforeTurn();
  return { ...logged, nudges: logged.events.flatMap((event) => (event.type === "nudge.sent" ? [event.by] : [])) };
}

describe("seed cases", () => {
  it.each(cases.filter(({ area }) => area !== "tracker.result_normalise"))("$area: $name", (seed) => {
    const { run, events, nudges } = play(seed);
    const state = trackerState(run.view);
    const saturated = events.filter(({ type }) => type === "exploration.saturation").length;
    const found: Readonly<Record<string, unknown>> = {
      phase: run.view.phase,
      last_test_passed: state?.lastTestPassed,
      consecutive_test_failures: state?.consecutiveTestFailures,
      in_test_fix_cycle: state?.inTestFixCycle,
      consecutive_shell_failures: state?.consecutiveBashFailures,
      tests_run: state?.testsRun,
      unique_files_read: state?.uniqueFilesRead.size,
      iterations: run.view.iterations,
      saturated: saturated > 0,
      transitions: events.flatMap((event) =>
        event.type === "phase.transition" ? [{ from: event.from, to: event.to }] : [],
      ),
    };
    const { nudge, event_count_min: least, loop_detected: _loop, repeat_count: _repeats, ...rest } = seed.expected;
    for (const [key, value] of Object.entries(rest)) expect({ [key]: found[key] }).toEqual({ [key]: value });
    if (least !== undefined) expect(saturated).toBeGreaterThanOrEqual(1);
    if (nudge === null) expect(nudges).toEqual([]);
    else if (nudge !== undefined) expect(nudges).toContain(NUDGES[nudge as string]);
  });

  it("covers every tracker case there is", () => {
    expect(cases.length).toBe(23);
  });
});

// What the document of seed 000 states and no case above covers.
describe("seed 000", () => {
  it("walks every arrow of its diagram", () => {
    const { run, take, events } = codingRun();
    take(
      { tool: "read_file", args: { path: "a" } },
      { tool: "update_plan", args: { plan: [{ step: "a", status: "pending" }] } },
      { tool: "edit_file", args: { path: "a" } },
    );
    take(bash("npm test", "1 failed", false), { tool: "edit_file", args: { path: "a" } }, bash("npm test", "3 passed"));
    expect(
      events.flatMap((event) =>
        event.type === "phase.transition" ? [`${event.from} > ${event.to}: ${event.outcome}`] : [],
      ),
    ).toEqual([
      "exploring > planning: completed",
      "planning > acting: completed",
      "acting > verifying: completed",
      "verifying > acting: failed",
      "acting > verifying: completed",
    ]);
    run.end();
    expect(run.outcome).toMatchObject({ phase: "verifying", reason: "done" });
  });

  it.each(["read_file", "grep", "glob", "search", "find_files", "search_files"])("%s is exploring", (tool) => {
    const { run, take } = codingRun();
    take({ tool, args: { path: "a", pattern: "a" } });
    const state = trackerState(run.view);
    expect(run.view.phase).toBe("exploring");
    expect((state?.uniqueFilesRead.size ?? 0) + (state?.uniqueSearches.size ?? 0)).toBe(1);
  });

  it.each(["write_file", "edit_file"])("%s is acting", (tool) => {
    const { run, take } = codingRun();
    take({ tool, args: { path: "a" } });
    expect(run.view.phase).toBe("acting");
  });

  it.each(["npm run test", "pytest", "npm test", "npx jest"])("%s after an edit is verifying", (command) => {
    const { run, take } = codingRun();
    take({ tool: "edit_file", args: { path: "a" } }, bash(command));
    expect(run.view.phase).toBe("verifying");
  });

  it("never keeps the agent from reading", () => {
    const { run } = codingRun({ policies: [phaseTracker(), saturation({ fileThreshold: 1 })] });
    for (let n = 0; n < 20; n += 1) {
      run.beforeTurn();
      expect(run.beforeTool({ tool: "read_file", input: { path: String(n) } }).allow).toBe(true);
      run.record(finished({ tool: "read_file", args: { path: String(n) } }));
    }
  });
});

// What the source gets wrong, and was seen to get wrong when it was run.
describe("where seed 000 is wrong", () => {
  const stateAfter = (...steps: readonly Step[]) => {
    const { run, take } = codingRun();
    take(...steps);
    return trackerState(run.view);
  };
  const changed: Step = { tool: "edit_file", args: { path: "a" } };

  it.each<[what: string, step: Step, expected: Partial<PhaseState>]>([
    [
      "`0 failed` is no failure",
      bash("npm test", "10 passed, 0 failed"),
      { lastTestPassed: true, consecutiveTestFailures: 0 },
    ],
    [
      "nor is the word ERROR in a log that passes",
      bash("npx jest", "console.error\n  ERROR in handler\n\nTests:       4 passed, 4 total"),
      { lastTestPassed: true, inTestFixCycle: false },
    ],
    ["a package called latest is no test run", bash("npm install x@latest"), { testsRun: 0, phase: "acting" }],
    ["`make check` is one", bash("make check"), { testsRun: 1, phase: "verifying" }],
    ["a build verifies", bash("npm run build"), { testsRun: 0, phase: "verifying" }],
    ["so does a linter", bash("go vet ./..."), { testsRun: 0, phase: "verifying" }],
    [
      "a crash without the known words is a failure",
      bash("npm test", { exitCode: 139, stderr: "Segmentation fault (core dumped)" }, false),
      { lastTestPassed: false, consecutiveTestFailures: 1 },
    ],
    [
      "failing tests are no failing shell commands",
      bash("npm test", "1 failed", false),
      { consecutiveTestFailures: 1, consecutiveBashFailures: 0 },
    ],
  ])("%s", (_what, step, expected) => {
    expect(stateAfter(changed, step)).toMatchObject(expected);
  });

  it("reports saturation once and not at every call", () => {
    const { take, events } = codingRun({ policies: [phaseTracker(), saturation()] });
    take(...Array.from({ length: 20 }, (_none, n): Step => ({ tool: "read_file", args: { path: String(n) } })));
    expect(events.filter(({ type }) => type === "exploration.saturation")).toHaveLength(1);
  });
});
