// Anthropic's tool runner, made phase-aware with one line. Set ANTHROPIC_API_KEY to use a real model.
import assert from "node:assert/strict";
import { budget, createRun, definePolicy, nudge, trackRun, veto, vouch } from "@phasekit/core";
import { withPhases } from "@phasekit/anthropic";
import { connect } from "./scripted-model.ts";
import { tools } from "./tools.ts";

/** Three readings in a row are enough. */
const startEditing = definePolicy({
  name: "start-editing",
  initial: () => ({ reads: 0 }),
  observe: {
    "tool.finished": (state, { meaning }) => {
      state.reads = meaning.activity === "read" ? state.reads + 1 : 0;
    },
  },
  decide: {
    "turn.started": (_run, { reads }) => (reads >= 3 ? nudge("You have read enough. Change the code.") : undefined),
  },
});

/** A change counts as done once the tests have passed after it. */
const testedFinish = definePolicy({
  name: "tested-finish",
  initial: () => ({ tested: false }),
  observe: {
    "tool.finished": (state, { tool, exitCode }) => {
      if (tool === "edit_file") state.tested = false;
      if (tool === "run_tests") state.tested = exitCode === 0;
    },
  },
  decide: {
    "finish.requested": (_run, { tested }) =>
      tested ? vouch({ evidence: "tests passed" }) : veto("Nothing shows that it works. Run the tests."),
  },
});

const { client: bare, model, close } = await connect();
const run = createRun({ mode: "gate", policies: [startEditing, testedFinish, budget({ turns: 20 })] });
const client = withPhases(run, bare); // the line that changes

const messages = [{ role: "user" as const, content: "sum(2, 3) gives -1. Fix it." }];
await trackRun(run, async () => {
  for await (const message of client.beta.messages.toolRunner({ model, max_tokens: 1000, messages, tools })) {
    for (const block of message.content) if (block.type === "text") console.log(`the agent says: ${block.text}`);
  }
});
await close();

for (const { policy, text } of run.view.nudges) console.log(`nudge by ${policy}: ${text}`);
console.log(`${run.view.turn} turns, ${run.view.toolCalls} tool calls, ${run.view.usage.inputTokens} input tokens`);
console.log(run.outcome);
assert.deepEqual([run.outcome?.reason, run.outcome?.verified], ["done", true]);
