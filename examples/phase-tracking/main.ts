// Follows an agent through exploring, planning, acting and verifying, and nudges it when it only reads.
import assert from "node:assert/strict";
import { phaseTracking } from "@phasekit/coding";
import { createRun } from "@phasekit/core";
import { trackerState } from "@phasekit/tracker";

const run = createRun(phaseTracking({ budget: { turns: 40 } }));
const tool = (name: string, input: object, output: unknown): string | undefined => {
  const { message } = run.beforeTurn();
  run.record({ type: "tool.finished", tool: name, input, outcome: "ok", output });
  return message;
};

const messages = Array.from({ length: 11 }, (_, n) => tool("read_file", { path: `src/${String(n)}.ts` }, "…"));
console.log(messages.at(-1)); // You have read 10 files in 10 rounds and changed nothing yet. …
tool("edit_file", { path: "src/3.ts" }, "edited");
tool("bash", { command: "npm test" }, { exitCode: 1, stdout: "1 failed, 4 passed" });
tool("edit_file", { path: "src/3.ts" }, "edited");
tool("bash", { command: "npm test" }, { exitCode: 0, stdout: "5 passed" });

for (const { from, to, reason } of run.view.transitions) console.log(`${from} → ${to}: ${reason ?? ""}`);
const state = trackerState(run.view);
console.log(state);

assert.deepEqual(messages.map(Boolean), [...Array<boolean>(10).fill(false), true]);
assert.deepEqual(
  run.view.transitions.map(({ to }) => to),
  ["acting", "verifying", "acting", "verifying"],
);
assert.deepEqual([state?.testsRun, state?.lastTestPassed, state?.uniqueFilesRead.size], [2, true, 11]);
