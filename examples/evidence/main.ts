// An agent says "done" three times: its work is claimed, claimed with red tests, and at last proven.
import assert from "node:assert/strict";
import { codingPhases, createRun, type RunEvent } from "@phasekit/core";
import { reading } from "@phasekit/reading";
import { testsFresh, gateVerdicts, phaseTracker, testsKept } from "@phasekit/tracker";

const run = createRun({
  graph: codingPhases,
  mode: "gate",
  interpret: reading(),
  // By default only untested work is sent back; `unmet` asks for proof or support in every case.
  policies: [phaseTracker(), testsFresh({ sendBack: "unmet" }), testsKept()],
});
const events: RunEvent[] = [];
run.subscribe((step) => events.push(...step));

function act(tool: string, input: object, output: unknown): void {
  run.beforeTurn();
  run.record({ type: "tool.finished", tool, input, output, outcome: "ok" });
}

act("Read", { file_path: "src/sum.ts" }, "export const sum = (a, b) => a - b;");
act("Edit", { file_path: "src/sum.ts", old_string: "a - b", new_string: "a + c" }, "edited");
const untested = run.beforeFinish();
assert.equal(untested.accept, false);

act("Bash", { command: "npx jest" }, { exitCode: 1, stdout: "Tests:       1 failed, 2 passed, 3 total" });
const red = run.beforeFinish();
assert.equal(red.accept, false);

act("Edit", { file_path: "src/sum.ts", old_string: "a + c", new_string: "a + b" }, "edited");
act("Bash", { command: "npx jest" }, { exitCode: 0, stdout: "Tests:       3 passed, 3 total" });
const green = run.beforeFinish();
assert.deepEqual({ accept: green.accept, verified: green.accept && green.verified }, { accept: true, verified: true });
run.end();

for (const event of events) {
  if (event.type === "phase.transition")
    console.log(`${event.from} → ${event.to} (${event.outcome}): ${event.reason ?? ""}`);
  if (event.type === "finish.vetoed") console.log(`not done: ${event.text}`);
}
console.log(
  gateVerdicts(events)
    .map(({ gate, verdict }) => `${gate}: ${verdict}`)
    .join(", "),
);
console.log(`${run.outcome?.evidence.grade ?? ""}: ${run.outcome?.evidence.why ?? ""}`);
assert.equal(run.outcome?.evidence.grade, "proven");
assert.deepEqual(
  gateVerdicts(events).map(({ verdict }) => verdict),
  ["PASS", "PASS"],
);
assert.equal(run.outcome.phase, "verifying");
