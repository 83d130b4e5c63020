import { codingRun } from "@phasekit/coding";
import type { RunEvent } from "@phasekit/core";
import { describe, expect, it } from "vitest";
import { countLines, editDiff } from "../src/views/work/edit-diff.ts";
import { eventParts } from "../src/views/event-parts.ts";
import { checkGroups, workRows } from "../src/views/work/work-rows.ts";
import { goodRun, loopingRun } from "./sample-runs.ts";

const shown = (input: unknown, path = "src/a.ts"): string =>
  editDiff(input, path)
    .map(({ sign, text }) => sign + text)
    .join("\n");

describe("editDiff", () => {
  it.each([
    [{ old_string: "a\nb\nc", new_string: "a\nB\nc" }, " a\n-b\n+B\n c"],
    [{ oldString: "a", newString: "b" }, "-a\n+b"],
    [
      {
        edits: [
          { old_string: "a", new_string: "b" },
          { old_string: "c", new_string: "" },
        ],
      },
      "-a\n+b\n-c",
    ],
    [{ content: "one\ntwo\n" }, "+one\n+two"],
    ["*** Begin Patch\n*** Update File: src/a.ts\n@@\n a\n-b\n+c\n*** Update File: src/z.ts\n+no\n", " a\n-b\n+c"],
    [{ patch: "--- a/src/a.ts\n+++ b/src/a.ts\n@@ -1 +1 @@\n-a\n+b" }, "-a\n+b"],
    [{ file_path: "src/a.ts" }, ""],
    [undefined, ""],
    // Lines that stay between two changes are not removed and added again.
    [{ old_string: "x\nb\nc\ny", new_string: "X\nb\nc\nY" }, "-x\n+X\n b\n c\n-y\n+Y"],
  ])("the diff of %j is %j", (input, diff) => {
    expect(shown(input)).toBe(diff);
  });

  it("a large edit is cut and counted", () => {
    const text = (letter: string): string =>
      Array.from({ length: 900 }, (_, at) => `${letter}${String(at)}`).join("\n");
    const lines = editDiff({ old_string: text("a"), new_string: text("b") }, "a");
    expect(lines).toHaveLength(400);
    expect(countLines(lines, "-")).toBe(400);
  });
});

const FAILED = "✖ adds (1ms)\nℹ tests 2\nℹ pass 1\nℹ fail 1\n";
const PASSED = "✔ adds (1ms)\nℹ tests 2\nℹ pass 2\nℹ fail 0\n";

/** A run that edits, tests in vain, and says that all is well. */
function run(last: string): readonly RunEvent[] {
  const events: RunEvent[] = [];
  const made = codingRun({ mode: "observe" });
  made.subscribe((step) => events.push(...step));
  const bash = { tool: "Bash", input: { command: "node --test" } };
  const calls = [
    {
      tool: "Edit",
      input: { file_path: "src/sum.js", old_string: "a - b", new_string: "a + c" },
      output: "The file was updated.",
      exitCode: 0,
    },
    { ...bash, output: FAILED, exitCode: 1 },
    { ...bash, output: last, exitCode: last === PASSED ? 0 : 1 },
  ];
  for (const [index, { tool, input, output, exitCode }] of calls.entries()) {
    const call = String(index);
    made.record({ type: "turn.started" });
    made.record({ type: "tool.requested", call, tool, input });
    made.record({ type: "tool.finished", call, tool, outcome: exitCode === 0 ? "ok" : "error", exitCode, output });
  }
  made.record({ type: "message.sent", text: "All tests pass." });
  made.record({ type: "finish.requested", text: "All tests pass." });
  made.end({ reason: "done" });
  return events;
}

describe("workRows", () => {
  it("has the files with their diffs, and the checks with their output and what failed", () => {
    const { files, checks } = workRows(run(PASSED));
    expect(files).toMatchObject([{ path: "src/sum.js", kind: "code", added: 1, removed: 1, edits: [{ seq: 4 }] }]);
    expect(checks).toMatchObject([
      { kind: "test", verdict: "fail", title: "node --test", counts: "1 passed, 1 failed", failures: ["✖ adds (1ms)"] },
      { kind: "test", verdict: "pass", failures: [], output: PASSED },
    ]);
  });

  it("sets the last words against the last check only if that check failed", () => {
    expect(workRows(run(PASSED)).contradiction).toBeUndefined();
    expect(workRows(run(FAILED)).contradiction).toMatchObject({
      claim: "All tests pass.",
      check: { failures: ["✖ adds (1ms)"] },
    });
  });
});

describe("workRows of a run whose claim a gate compared", () => {
  it("sets the claim against the failed tests, even if a program failed after them", () => {
    expect(workRows(loopingRun()).contradiction).toMatchObject({
      claim: "The tests pass.",
      why: "The agent says that the tests pass, but the last test run failed.",
      check: { kind: "test", title: "npm test" },
    });
  });

  it("has failed tests before other failures, and equal checks as one", () => {
    const groups = checkGroups(workRows(loopingRun()).checks);
    expect(groups.map(({ row: { title, verdict }, times }) => [title, verdict, times])).toEqual([
      ["npm test", "fail", 1],
      ["npx prisma migrate dev", "fail", 5],
    ]);
  });

  it("sets no claim against a test that passed in the end", () => {
    expect(workRows(goodRun()).contradiction).toBeUndefined();
  });
});

describe("eventParts", () => {
  it("shows what is inside a value below its name, and no JSON", () => {
    const [event] = run(PASSED);
    const questions = { questions: [{ header: "Tax", options: ["yes", "no"] }, { header: "Rate" }], count: 2 };
    const { texts } = eventParts({
      ...event!,
      type: "tool.requested",
      tool: "Ask",
      input: questions,
      meaning: {},
    } as RunEvent);
    expect(new Map(texts).get("questions")).toBe("- header: Tax\n  options:\n    - yes\n    - no\n- header: Rate");
  });

  it("shows an edit as a diff and an output as text, and no JSON", () => {
    const events = run(PASSED);
    const parts = events.map(eventParts);
    expect(parts[events.findIndex(({ type }) => type === "tool.requested")]).toMatchObject({
      values: [
        ["tool", "Edit"],
        ["file_path", "src/sum.js"],
      ],
      diff: [
        { sign: "-", text: "a - b" },
        { sign: "+", text: "a + c" },
      ],
    });
    expect(parts.flatMap(({ texts }) => texts)).toContainEqual(["output", PASSED]);
  });
});
