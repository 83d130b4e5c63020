import { createRun, type RunEvent } from "@phasekit/core";
import { type PhaseState, trackerState } from "@phasekit/tracker";
import { describe, expect, it } from "vitest";
import { phaseTracking, type PhaseTrackingOptions } from "../src/index.ts";

interface Call {
  readonly tool: string;
  readonly input: object;
  readonly output: unknown;
  readonly outcome?: "ok" | "error";
}

const read = (path: string): Call => ({ tool: "read_file", input: { path }, output: `the text of ${path}` });
const edit = (path = "src/a.ts"): Call => ({ tool: "edit_file", input: { path }, output: "edited" });
const bash = (command: string, stdout: string, exitCode = 0): Call => ({
  tool: "bash",
  input: { command },
  output: { exitCode, stdout },
  outcome: exitCode === 0 ? "ok" : "error",
});
const passing = bash("npm test", "3 passed");
const failing = bash("npm test", "2 failed", 1);
const mixed = bash("npm test", "1 failed, 2 passed", 1);

/** Plays calls, one a turn, and returns what is known after them. */
function play(calls: readonly (Call | "text" | "plan")[], options?: PhaseTrackingOptions) {
  const run = createRun(phaseTracking(options));
  const events: RunEvent[] = [];
  run.subscribe((step) => events.push(...step));
  for (const call of calls) {
    run.beforeTurn();
    if (call === "text") run.record({ type: "message.sent", text: "Thinking." });
    else if (call === "plan") run.transition("planning");
    else run.record({ type: "tool.finished", outcome: "ok", ...call });
  }
  run.beforeTurn();
  const state = trackerState(run.view);
  if (state === undefined) throw new Error("no tracker");
  return { run, events, state, nudges: events.flatMap((event) => (event.type === "nudge.sent" ? [event] : [])) };
}

const files = (count: number): Call[] => Array.from({ length: count }, (_, n) => read(`src/f${String(n)}.ts`));

describe("phaseTracking", () => {
  it.each<[string, readonly (Call | "text" | "plan")[], string]>([
    ["a run begins by exploring", [], "exploring"],
    ...["read_file", "grep", "glob", "search", "find_files", "search_files"].map(
      (tool): [string, readonly Call[], string] => [
        `${tool} is exploring`,
        [{ tool, input: { path: "a" }, output: "a" }],
        "exploring",
      ],
    ),
    ["the first edit leads from exploring to acting", [read("a"), edit()], "acting"],
    ["the first new file does too", [{ ...edit(), tool: "write_file" }], "acting"],
    ["a manual move leads to planning", [read("a"), "plan"], "planning"],
    [
      "a planning tool does too",
      [{ tool: "update_plan", input: { plan: [{ step: "fix" }] }, output: "ok" }],
      "planning",
    ],
    ["an edit leads from planning to acting", ["plan", edit()], "acting"],
    ["reading after an edit stays acting", [edit(), ...files(12)], "acting"],
    ["reading after red tests stays acting", [edit(), failing, failing, ...files(5)], "acting"],
    ["tests before an edit are exploring", [failing], "exploring"],
    ["tests after an edit lead to verifying", [edit(), passing], "verifying"],
    ...["pytest", "npx jest", "npm test"].map((command): [string, readonly Call[], string] => [
      `${command} after an edit leads to verifying`,
      [edit(), bash(command, "3 passed")],
      "verifying",
    ]),
    ["a build after an edit does too", [edit(), bash("npm run build", "built")], "verifying"],
    ["a failing test while verifying leads back to acting", [edit(), passing, failing], "acting"],
    ["an edit while verifying leads back to acting", [edit(), passing, edit()], "acting"],
    ["a commit stays verifying", [edit(), passing, bash("git commit -am x", "1 file changed")], "verifying"],
  ])("%s", (_what, calls, phase) => {
    expect(play(calls).run.view.phase).toBe(phase);
  });

  it.each<[string, readonly (Call | "text" | "plan")[], Partial<PhaseState>]>([
    ["files read, once each", [read("a"), read("b"), read("a")], { uniqueFilesRead: new Set(["a", "b"]) }],
    ["searches", [{ tool: "grep", input: { pattern: "sum" }, output: "a.ts" }], { uniqueSearches: new Set(["sum"]) }],
    ["files changed", [edit("x.ts"), edit("x.ts")], { filesModified: new Set(["x.ts"]) }],
    ["the number of test runs", [edit(), passing, failing], { testsRun: 2 }],
    ["the iteration exploring began at", [read("a")], { explorationStartIteration: 0 }],
    ["iterations in the phase", [read("a"), read("b"), edit(), read("c")], { iterationsInPhase: 1 }],
    ["new files of the last iterations", [read("a"), read("b"), read("b"), read("b")], { recentNewFiles: 1 }],
    ["no test result yet", [edit()], { lastTestPassed: null }],
    ["a pass", [edit(), failing, passing], { lastTestPassed: true, consecutiveTestFailures: 0, inTestFixCycle: false }],
    [
      "failures",
      [edit(), failing, failing],
      { lastTestPassed: false, consecutiveTestFailures: 2, inTestFixCycle: true },
    ],
    ["some passed and some failed: a failure", [edit(), mixed], { lastTestPassed: false, inTestFixCycle: true }],
    ["failing commands", [bash("make", "no", 2), bash("make", "no", 2)], { consecutiveBashFailures: 2 }],
    ["a command that worked", [bash("make", "no", 2), bash("ls", "a")], { consecutiveBashFailures: 0 }],
    ["turns of text", ["text", "text"], { consecutiveTextOnlyTurns: 2 }],
    ["not saturated", files(9), { shouldTransition: false }],
    ["saturated", files(10), { shouldTransition: true }],
  ])("the state has %s", (_what, calls, state) => {
    expect(play(calls).state).toMatchObject(state);
  });

  it("the state has fourteen fields", () => {
    expect(Object.keys(play([]).state)).toHaveLength(14);
  });

  it.each([
    { what: "nine files", calls: files(9), said: false },
    { what: "ten files", calls: files(10), said: true },
    { what: "ten files and an edit", calls: [...files(9), edit(), read("z")], said: false },
    { what: "five of five files", calls: files(5), options: { saturation: { fileThreshold: 5 } }, said: true },
    { what: "fourteen iterations on one file", calls: Array.from({ length: 14 }, () => read("a")), said: false },
    { what: "fifteen iterations on one file", calls: Array.from({ length: 15 }, () => read("a")), said: true },
  ])("saturation after $what: $said", ({ calls, options, said }) => {
    const { events, nudges, run } = play(calls, options);
    const saturated = events.flatMap((event) => (event.type === "exploration.saturation" ? [event] : []));
    expect(saturated).toHaveLength(said ? 1 : 0);
    expect(nudges.map(({ by }) => by)).toEqual(said ? ["saturation"] : []);
    expect(run.beforeTool({ tool: "read_file", input: { path: "one more" } }).allow).toBe(true);
    if (!said) return;
    const count = new Set(calls.map(({ input }) => JSON.stringify(input))).size;
    expect(saturated[0]).toMatchObject({ filesRead: count, iterations: calls.length });
    expect(nudges[0]?.text).toContain(String(count === 1 ? "one file" : count));
  });

  it.each([
    { what: "30 % of ten turns", calls: files(3), said: [] },
    { what: "40 % of ten turns", calls: files(4), said: ["phase-budget"] },
    { what: "edits with 30 % left", calls: [...files(2), ...Array.from({ length: 5 }, () => edit())], said: [] },
    {
      what: "edits with 20 % left",
      calls: [...files(2), ...Array.from({ length: 6 }, () => edit())],
      said: ["phase-budget"],
    },
    { what: "edits that were tested", calls: [...files(2), edit(), passing, ...files(4)], said: [] },
    {
      what: "half of ten turns, where half is allowed",
      calls: files(5),
      phaseBudget: { maxExplorationPercent: 50 },
      said: [],
    },
    { what: "40 % of ten turns, disabled", calls: files(4), phaseBudget: { enabled: false }, said: [] },
  ])("phase budget after $what: $said", ({ calls, phaseBudget, said }) => {
    const options = { budget: { turns: 10, soft: 1 }, ...(phaseBudget && { phaseBudget }) };
    const nudges = play(calls, options).nudges.map(({ by }) => by);
    expect([...new Set(nudges.filter((by) => by !== "budget"))]).toEqual(said);
  });

  it("every move is an event with from, to and a reason", () => {
    const moves = play([read("a"), edit(), passing, failing]).events.flatMap((event) =>
      event.type === "phase.transition" ? [event] : [],
    );
    expect(moves.map(({ from, to }) => `${from} → ${to}`)).toEqual([
      "exploring → acting",
      "acting → verifying",
      "verifying → acting",
    ]);
    for (const { reason } of moves) expect(reason).toMatch(/\w+/);
  });

  it("refuses numbers out of range", () => {
    expect(() => phaseTracking({ failuresBeforeActing: 0 })).toThrow(/failuresBeforeActing/);
    expect(() => phaseTracking({ phaseBudget: { maxExplorationPercent: 130 } })).toThrow(/maxExplorationPercent/);
  });
});
