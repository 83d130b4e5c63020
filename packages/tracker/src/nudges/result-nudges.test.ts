import { budget, codingPhases, expectationSet } from "@phasekit/core";
import { describePolicy } from "@phasekit/core/testing";
import { describe, expect, it } from "vitest";
import { bash, codingRun, edit, endlessReads, finished, read, type Step } from "../../test/coding-run.ts";
import { resultNudges } from "./result-nudges.ts";

const red = bash("npm test", "1 failed", false);
const bad = bash("bad", "no", false);

function said(
  steps: readonly Step[],
  options: Parameters<typeof resultNudges>[0] = {},
  turns?: number,
): readonly string[] {
  const { run, take, events } = codingRun({
    policies: [...(turns === undefined ? [] : [budget({ turns, soft: 1, reserve: 0 })]), resultNudges(options)],
  });
  take(...steps);
  run.beforeTurn();
  return events.flatMap((event) => (event.type === "nudge.sent" ? [event.text] : []));
}

describe("result nudges", () => {
  it.each<[what: string, steps: readonly Step[], count: number]>([
    ["two red test runs", [red, red], 0],
    ["three", [red, red, red], 1],
    ["six are one streak", [red, red, red, red, red, red], 1],
    ["a pass between them", [red, red, bash("npm test", "1 passed"), red], 0],
    ["two streaks", [red, red, red, bash("npm test", "1 passed"), read("a"), red, red, red], 2],
    ["two failing commands", [bad, bad], 0],
    ["three failing commands", [bad, bad, bad], 1],
    ["red tests are no failing commands", [bad, bad, red], 0],
    ["a command that works between them", [bad, bad, bash("ls"), bad], 0],
  ])("%s", (_what, steps, count) => {
    expect(said(steps)).toHaveLength(count);
  });

  it("speaks up when the agent only talks, but not in its last turn", () => {
    const talk = (turns: number, limit?: number): readonly string[] => {
      const { run, events } = codingRun({
        policies: [...(limit === undefined ? [] : [budget({ turns: limit, soft: 1 })]), resultNudges()],
      });
      for (let turn = 0; turn < turns; turn += 1) {
        run.beforeTurn();
        run.record({ type: "message.sent", text: "Let me think." });
      }
      run.beforeTurn();
      return events.flatMap((event) => (event.type === "nudge.sent" ? [event.text] : []));
    };
    expect(talk(1)).toHaveLength(0);
    expect(talk(2)).toHaveLength(1);
    expect(talk(2, 4)).toHaveLength(0);
    expect(talk(2, 5)).toHaveLength(1);
  });

  it("text-only-reminder is silent if the user asked for an answer", () => {
    const { run, events } = codingRun({ policies: [resultNudges()] });
    run.record(expectationSet.record({ repeats: false, edits: false }));
    for (let turn = 0; turn < 4; turn += 1) {
      run.beforeTurn();
      run.record({ type: "message.sent", text: `Part ${turn} of the answer.` });
    }
    run.beforeTurn();
    expect(events.filter(({ type }) => type === "nudge.sent")).toEqual([]);
  });

  it.each([
    { who: "a user who answers", agents: ["a", "a", "a", "a"], answered: true },
    { who: "agents that answer each other", agents: ["a", "b", "a", "b"], answered: false },
  ])("text-only-reminder is silent in a conversation with $who", ({ agents, answered }) => {
    const { run, events } = codingRun({ policies: [resultNudges()] });
    for (const agent of agents) {
      run.beforeTurn({ agent });
      run.record({ type: "message.sent", text: "Which size do you need?", agent });
      if (answered) run.record({ type: "message.received", text: "The large one." });
    }
    run.beforeTurn();
    expect(events.filter(({ type }) => type === "nudge.sent")).toEqual([]);
  });

  it.each<[what: string, steps: readonly Step[], turns: number | undefined, count: number]>([
    ["near the end without a test", [edit("a"), edit("b"), edit("c"), edit("d")], 6, 1],
    ["near the end with a test", [edit("a"), edit("b"), edit("c"), bash("npm test")], 6, 0],
    ["near the end without an edit", [read("a"), read("b"), read("c"), read("d")], 6, 0],
    ["far from the end", [edit("a"), edit("b")], 20, 0],
    ["without an end", [edit("a"), edit("b"), edit("c"), edit("d")], undefined, 0],
  ])("edits %s", (...[, steps, turns, count]) => {
    expect(said(steps, {}, turns)).toHaveLength(count);
  });

  it("has words for each", () => {
    expect([
      ...said([red, red, red]),
      ...said([bad, bad, bad]),
      ...said([bad, bad, bash("cat nothere", "no", false)]),
      ...said([edit("a"), edit("b"), edit("c"), edit("d")], {}, 6),
    ]).toMatchInlineSnapshot(`
      [
        "The tests have failed 3 times in a row. Nothing was changed in between, so they fail again. Read the whole error and change what causes it.",
        "3 shell commands in a row have failed. Find out why before you try the next one: read the error, check paths and what is installed, or take another way.",
        "3 shell commands in a row have failed. Use the tools for reading, searching and editing files instead of the shell.",
        "You have changed 4 files and run no test, and 17 % of your budget is left. Run the tests now.",
      ]
    `);
    expect(said([red, edit("a"), red, edit("b"), red])[0]).toContain("in a row. Stop patching. Read");
    expect(said([red], { testFailures: { after: 1, text: ({ failures }) => `${String(failures)} red` } })).toEqual([
      "1 red",
    ]);
    expect(
      said([bad], {
        shellFailures: { after: 1, text: ({ failures, fileWork }) => `${String(failures)} ${String(fileWork)}` },
      }),
    ).toEqual(["1 false"]);
    expect(
      said(
        [edit("a"), edit("b"), edit("c"), edit("d")],
        { untestedEdits: { text: ({ files }) => `${String(files)} files` } },
        6,
      ),
    ).toEqual(["4 files"]);
  });

  it("documents need no tests", () => {
    const text = { untestedEdits: { text: ({ files }: { readonly files: number }) => `${String(files)} files` } };
    expect(said([edit("a.md"), edit("b.md"), edit("docs/c.md"), edit("LICENSE")], text, 6)).toEqual([]);
    expect(said([edit("a.md"), edit("b.md"), edit("docs/c.md"), edit("d.ts")], text, 6)).toEqual(["4 files"]);
  });
});

const facts = [red, red, red, bad, bad, bad, edit("a")].flatMap((step) => [
  { type: "turn.started" as const },
  { type: "message.sent" as const, text: "x" },
  { type: "turn.started" as const },
  { type: "message.sent" as const, text: "x" },
  { type: "turn.started" as const },
  finished(step),
]);
for (const index of [0, 1, 2, 3])
  describePolicy(() => resultNudges()[index]!, {
    describe,
    it,
    graph: codingPhases,
    endless: endlessReads,
    events: facts,
  });
