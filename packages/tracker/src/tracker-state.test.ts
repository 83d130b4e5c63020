import { startedOver } from "@phasekit/core";
import { describe, expect, it } from "vitest";
import { bash, codingRun, edit, finished, read, type Step } from "../test/coding-run.ts";
import { phaseTracker } from "./phase-tracker.ts";
import { testsFresh } from "./gates/tests-fresh.ts";
import { saturation } from "./saturation.ts";
import { type PhaseState, trackerState } from "./tracker-state.ts";

function stateAfter(...steps: readonly Step[]): PhaseState {
  const { run, take } = codingRun();
  take(...steps);
  return trackerState(run.view)!;
}

const search = (pattern: string): Step => ({ tool: "grep", args: { pattern } });

describe("trackerState", () => {
  it("has the fourteen fields of the source", () => {
    expect(stateAfter()).toMatchInlineSnapshot(`
      {
        "consecutiveBashFailures": 0,
        "consecutiveTestFailures": 0,
        "consecutiveTextOnlyTurns": 0,
        "explorationStartIteration": 0,
        "filesModified": Set {},
        "inTestFixCycle": false,
        "iterationsInPhase": 0,
        "lastTestPassed": null,
        "phase": "exploring",
        "recentNewFiles": 0,
        "shouldTransition": false,
        "testsRun": 0,
        "uniqueFilesRead": Set {},
        "uniqueSearches": Set {},
      }
    `);
  });

  it.each<[what: string, steps: readonly Step[], expected: Partial<PhaseState>]>([
    [
      "files by name, once each",
      [read("a"), read("./a"), read("b"), bash("cat c d")],
      { uniqueFilesRead: new Set(["a", "b", "c", "d"]) },
    ],
    ["a read that failed is none", [{ ...read("a"), ok: false }], { uniqueFilesRead: new Set() }],
    [
      "searches by their text",
      [search("x"), search("x"), bash("grep -rn y src")],
      { uniqueSearches: new Set(["x", "y"]) },
    ],
    ["files changed", [edit("a"), bash("sed -i s/a/b/ b")], { filesModified: new Set(["a", "b"]) }],
    [
      "iterations in the phase begin anew with it",
      [read("a"), read("b"), edit("a"), edit("b")],
      { iterationsInPhase: 1, phase: "acting" },
    ],
    ["new files of the last three iterations", [read("a"), read("b"), read("c"), read("d")], { recentNewFiles: 3 }],
    ["the window slides", [read("a"), read("b"), read("b"), read("b"), read("b")], { recentNewFiles: 0 }],
    ["a second visit is no new file", [read("a"), read("b"), read("a")], { recentNewFiles: 2 }],
    ["the window is empty after a move", [read("a"), edit("a")], { recentNewFiles: 0 }],
    [
      "a test run that says nothing",
      [bash("npm test")],
      { testsRun: 1, lastTestPassed: null, consecutiveTestFailures: 0 },
    ],
    [
      "a failure",
      [bash("npm test", "1 failed")],
      { lastTestPassed: false, consecutiveTestFailures: 1, inTestFixCycle: true },
    ],
    [
      "a pass clears the streak",
      [bash("npm test", "1 failed"), bash("npm test", "2 passed")],
      { testsRun: 2, lastTestPassed: true, consecutiveTestFailures: 0, inTestFixCycle: false },
    ],
    [
      "failing tests are no shell failures",
      [bash("bad", "", false), bash("npm test", "1 failed", false)],
      { consecutiveBashFailures: 1, consecutiveTestFailures: 1 },
    ],
    [
      "failing commands are no test failures",
      [bash("bad", "", false), bash("bad2", "", false)],
      { consecutiveBashFailures: 2, consecutiveTestFailures: 0 },
    ],
    ["a success of the shell clears its streak", [bash("bad", "", false), bash("ls")], { consecutiveBashFailures: 0 }],
    [
      "passing tests clear it too",
      [bash("bad", "", false), bash("npm test", "1 passed")],
      { consecutiveBashFailures: 0 },
    ],
    ["other tools do not", [bash("bad", "", false), read("a")], { consecutiveBashFailures: 1 }],
    [
      "exploring begins again",
      [edit("a"), read("b"), read("c"), read("d")],
      { explorationStartIteration: 4, phase: "exploring" },
    ],
  ])("%s", (_what, steps, expected) => {
    expect(stateAfter(...steps)).toMatchObject(expected);
  });

  it("counts turns of words alone, and forgets them at the next call", () => {
    const { run } = codingRun();
    const talk = (): void => {
      run.beforeTurn();
      run.record({ type: "message.sent", text: "I will look at it." });
    };
    const count = (): number | undefined => trackerState(run.view)?.consecutiveTextOnlyTurns;
    talk();
    expect(count()).toBe(0); // The turn is not over yet.
    talk();
    talk();
    run.beforeTurn();
    expect(count()).toBe(3);
    run.record(finished(read("a")));
    expect(count()).toBe(0);
  });

  it("a run that starts over explores again with an empty state, and owes the tests it owed", () => {
    const { run, take } = codingRun({ policies: [phaseTracker(), testsFresh()], mode: "gate" });
    take(read("a.ts"), bash("ls"), edit("b.ts"), bash("npm test", "1 failed", false));
    run.record(startedOver.record({}));
    expect(trackerState(run.view)).toMatchObject({
      phase: "exploring",
      uniqueFilesRead: new Set(),
      filesModified: new Set(),
      testsRun: 0,
      iterationsInPhase: 0,
      consecutiveTestFailures: 0,
      lastTestPassed: null,
    });
    expect(run.beforeFinish()).toMatchObject({ verified: false });
  });

  it("trackerState is a copy: a change to it changes neither the run nor a later copy", () => {
    const { run, take } = codingRun();
    take(read("a"));
    const state = trackerState(run.view);
    (state?.uniqueFilesRead as Set<string>).add("made up");
    expect(Object.isFrozen(state)).toBe(true);
    expect([...(trackerState(run.view)?.uniqueFilesRead ?? [])]).toEqual(["a"]);
    take(read("b"));
    expect(state?.uniqueFilesRead.has("b")).toBe(false);
  });

  it("shouldTransition is set by saturation and cleared by a move", () => {
    const { run, take } = codingRun({ policies: [phaseTracker(), saturation({ fileThreshold: 2 })] });
    take(read("a"));
    expect(trackerState(run.view)?.shouldTransition).toBe(false);
    take(read("b"));
    expect(trackerState(run.view)?.shouldTransition).toBe(true);
    take(edit("a"));
    expect(trackerState(run.view)?.shouldTransition).toBe(false);
  });
});
