import { createRun, type NewEvent, type RunEvent } from "@phasekit/core";
import { reading } from "@phasekit/reading";
import { describe, expect, it } from "vitest";
import { createMemoryStore, resumeRun, storeRun } from "@phasekit/ledger";
import { checkpointOf, checkpointReminder, checkpointText } from "@phasekit/ledger/checkpoint";
import { codingRun, codingRunOptions } from "./coding-run.ts";

/** A log of shell calls, edits and other events. */
function logOf(...events: readonly NewEvent[]): readonly RunEvent[] {
  const log: RunEvent[] = [];
  const run = createRun({ task: { text: "Fix the total." }, interpret: reading(), clock: () => 1 });
  run.subscribe((step) => log.push(...step));
  for (const event of events) run.record(event);
  return log;
}

let calls = 0;
const shell = (command: string, output: string, exitCode = 0): NewEvent => ({
  type: "tool.finished",
  call: `c${String((calls += 1))}`,
  tool: "Bash",
  input: { command },
  outcome: exitCode === 0 ? "ok" : "error",
  output: { stdout: output, exitCode },
});
const edit = (file: string): NewEvent => ({
  type: "tool.finished",
  call: `c${String((calls += 1))}`,
  tool: "Edit",
  input: { file_path: file, old_string: "a", new_string: `b${String(calls)}` },
  outcome: "ok",
  output: "edited",
});
const missing = (): NewEvent => shell("npm run biuld", 'npm error Missing script: "biuld"', 1);
const red = (): NewEvent => shell("npx vitest run", " Tests  1 failed | 2 passed (3)\n", 1);
const green = (): NewEvent => shell("npx vitest run", " Tests  3 passed (3)\n");

describe("checkpointOf", () => {
  it("has the task, the changed files, open to-dos, the last checks and what failed", () => {
    const text = checkpointText(
      checkpointOf(
        logOf(
          {
            type: "todos.updated",
            todos: [
              { text: "Fix it", status: "completed" },
              { text: "Add a test", status: "pending" },
            ],
          },
          missing(),
          missing(),
          edit("src/total.ts"),
          red(),
          edit("src/cart.ts"),
        ),
      ),
    );
    expect(text).toMatchInlineSnapshot(`
      "Task: Fix the total.
      Phase: working
      Done (changed files):
      - src/cart.ts
      - src/total.ts
      To do:
      - Add a test
      Last checks:
      - test (vitest): failed (2 passed, 1 failed); files were changed after it
      Open failures:
      - Bash npx vitest run: Tests 1 failed | 2 passed (3)
      Tried without success:
      - Bash npm run biuld, 2 times: Missing script: 'biuld'"
    `);
  });

  it("closes a failure when the same call works, and a red check when one of its kind passes", () => {
    const open = (...events: readonly NewEvent[]): readonly string[] =>
      checkpointOf(logOf(...events)).failures.map(({ what, times }) => `${what} ${String(times)}`);
    expect(open(missing(), red())).toHaveLength(2);
    expect(open(missing(), shell("npm run biuld", "built"))).toEqual([]);
    expect(open(red(), shell("npx vitest run src", " Tests  3 passed (3)\n"))).toEqual([]);
    expect(open(red(), red(), green(), red())).toEqual([expect.stringMatching(/1$/)]);
  });

  it("is bounded, and has nothing to say about a run that did nothing", () => {
    const many = Array.from({ length: 200 }, (_, index) => index);
    const checkpoint = checkpointOf(
      logOf(
        {
          type: "todos.updated",
          todos: many.map((index) => ({ text: "x".repeat(5000) + String(index), status: "open" })),
        },
        ...many.flatMap((index) => [
          edit(`src/${String(index)}/${"y".repeat(60)}.ts`),
          shell(`run-${String(index)} ${"z".repeat(900)}`, "no", 1),
        ]),
      ),
    );
    expect(checkpoint.changed).toBe(200);
    expect(checkpointText(checkpoint).length).toBeLessThan(8000);
  });
});

describe("checkpointReminder", () => {
  const HEAD = "This is the state of the work:\nTask: Fix the total.";
  const options = () => codingRunOptions({ task: { text: "Fix the total." }, policies: [checkpointReminder()] });

  it("takes the place of the reminder of codingRun() after a compaction, once", () => {
    const run = codingRun({ mode: "gate", task: { text: "Fix the total." }, policies: [checkpointReminder()] });
    expect(run.beforeTurn().message).toBeUndefined();
    for (const event of [edit("src/total.ts"), red(), missing()]) run.record(event);
    run.record({ type: "context.compacted" });
    const { message = "" } = run.beforeTurn();
    expect(message).toContain(HEAD);
    expect(message).toContain("Done (changed files):\n- src/total.ts");
    expect(message).toContain("Last checks:\n- test (vitest): failed (2 passed, 1 failed)");
    expect(message).toContain("npm run biuld");
    expect(message).not.toContain("The conversation was shortened");
    run.record(shell("ls", "a"));
    expect(run.beforeTurn().message ?? "").not.toContain(HEAD);
  });

  it("speaks in the first turn of a run that was cut off, and is resumed from its log", async () => {
    const store = createMemoryStore();
    const first = createRun({ ...options(), id: "r" });
    const stored = storeRun(first, store);
    first.record(edit("src/total.ts"));
    await stored.flush();
    const { run } = await resumeRun(store, "r", { ...options(), why: "A new process." });
    expect(run.beforeTurn().message).toContain(HEAD);
    run.record(shell("ls", "a"));
    expect(run.beforeTurn().message ?? "").not.toContain(HEAD);
  });

  it("knows the changes of a run without a tracker, too", () => {
    const run = createRun({ task: { text: "Fix the total." }, interpret: reading(), policies: [checkpointReminder()] });
    run.record(missing());
    run.record({ type: "context.compacted" });
    expect(run.beforeTurn().message).toContain("Open failures:");
  });
});
