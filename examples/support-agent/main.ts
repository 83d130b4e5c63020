// An agent with tools of its own: `describeTools` says what they do, and everything else follows from that.
import assert from "node:assert/strict";
import { createRun, describeTools, onceOnly, supportPhases } from "@phasekit/core";
import { reading } from "@phasekit/reading";
import { phaseTracker } from "@phasekit/tracker";
import { watchdog } from "@phasekit/watchdog";

const tools = describeTools({
  crm_lookup: "read",
  policy_search: "search",
  refund: { activity: "act", undo: false },
  escalate_to_human: "delegate",
});
const run = createRun({
  graph: supportPhases,
  mode: "gate",
  interpret: [tools, reading()],
  policies: [phaseTracker({ signals: supportPhases }), onceOnly(), watchdog()],
});

const call = (tool: string, input: object, output: unknown): string => {
  run.beforeTurn();
  const answer = run.beforeTool({ tool, input });
  if (!answer.allow) return answer.text;
  run.record({ type: "tool.finished", call: answer.call, outcome: "ok", output });
  return run.view.phase;
};

console.log(call("crm_lookup", { customer: 7 }, { name: "Ada", orders: [91] }));
console.log(call("policy_search", { query: "refund" }, "Refunds within 30 days."));
console.log(call("refund", { order: 91, amount: 20 }, { done: true }));
const second = call("refund", { amount: 20, order: 91 }, { done: true });
console.log(second);
run.record({ type: "message.sent", text: "I have refunded 20 euros." });
run.beforeFinish();
run.end();
for (const { from, to, reason } of run.view.transitions) console.log(`${from} → ${to}: ${reason ?? ""}`);

assert.match(second, /"refund" was already done/);
assert.deepEqual(
  run.view.transitions.map(({ to }) => to),
  ["resolving", "answering"],
);
assert.equal(run.outcome?.reason, "done");
