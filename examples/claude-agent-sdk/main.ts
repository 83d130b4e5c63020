// A query of the Claude Agent SDK, made phase-aware with one line. It says "done" before it has tested anything.
// Set ANTHROPIC_API_KEY to start the real Claude Code in this folder instead of a scripted one.
import assert from "node:assert/strict";
import { query } from "@anthropic-ai/claude-agent-sdk";
import { withPhases } from "@phasekit/claude-agent";
import { codingRun } from "@phasekit/coding";
import { trackRun } from "@phasekit/core";
import { claudeOptions } from "./scripted-claude.ts";

const run = codingRun({ mode: "gate", task: { text: "sum(2, 3) gives -1. Fix it." } });
const ask = withPhases(run, query); // the line that changes

await trackRun(run, async () => {
  for await (const message of ask({ prompt: "sum(2, 3) gives -1. Fix it.", options: claudeOptions() })) {
    if (message.type !== "assistant") continue;
    for (const block of message.message.content) {
      if (block.type === "text") console.log(`the agent says: ${block.text}`);
      if (block.type === "tool_use") console.log(`the agent calls: ${block.name} ${JSON.stringify(block.input)}`);
    }
  }
});

console.log(`phases: ${run.view.transitions.map(({ from, to }) => `${from} → ${to}`).join(", ")}`);
console.log(`${run.view.turn} turns, ${run.view.toolCalls} tool calls, ${run.view.usage.inputTokens} input tokens`);
console.log(run.outcome);
assert.deepEqual([run.outcome?.reason, run.outcome?.verified], ["done", true]);
