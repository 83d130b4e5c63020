// A research agent: gathering is saturated when ten pages were read, and the run says so.
import assert from "node:assert/strict";
import { createRun, describeTools, researchPhases } from "@phasekit/core";
import { reading } from "@phasekit/reading";
import { phaseTracker, saturation } from "@phasekit/tracker";

const tools = describeTools({ outline: "plan", web_search: "search", fetch_page: "read", write_section: "edit" });
const run = createRun({
  graph: researchPhases,
  interpret: [tools, reading()],
  policies: [phaseTracker({ signals: researchPhases, patience: 1 }), saturation({ phases: ["gathering"] })],
});

const call = (tool: string, input: object, output: string): string | undefined => {
  const { message } = run.beforeTurn();
  run.record({ type: "tool.finished", tool, input, outcome: "ok", output });
  return message;
};

call("outline", { steps: ["heat pumps", "prices"] }, "noted");
call("web_search", { query: "heat pump prices" }, "12 results");
let nudge: string | undefined;
for (let page = 1; page <= 12 && nudge === undefined; page += 1)
  nudge = call("fetch_page", { path: `https://example.org/${String(page)}` }, `Page ${String(page)} says something.`);
console.log(nudge);
call("write_section", { path: "report.md", text: "Prices fell." }, "written");
run.beforeFinish();
run.end();
for (const { from, to, reason } of run.view.transitions) console.log(`${from} → ${to}: ${reason ?? ""}`);

assert.match(nudge ?? "", /You have read 1\d files/);
assert.deepEqual(
  run.view.transitions.map(({ to }) => to),
  ["gathering", "writing", "answering"],
);
