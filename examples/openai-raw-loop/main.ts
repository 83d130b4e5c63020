// A loop of your own around chat completions, made phase-aware with four calls. Set OPENAI_API_KEY to use a real model.
import assert from "node:assert/strict";
import { budget, createRun, definePolicy, nudge, trackRun, veto, vouch } from "@phasekit/core";
import { applyTurn, executeTools, recordResponse } from "@phasekit/openai";
import type { OpenAI } from "openai";
import { connect } from "./scripted-model.ts";
import { handlers, tools } from "./tools.ts";

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

const { client, model, close } = await connect();
const run = createRun({ mode: "gate", policies: [startEditing, testedFinish, budget({ turns: 20 })] });
const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: "user", content: "sum(2, 3) gives -1. Fix it." }];

await trackRun(run, async () => {
  for (;;) {
    if (run.beforeTurn().stop) return;
    const completion = await client.chat.completions.create(applyTurn(run, { model, messages, tools }));
    recordResponse(run, completion);
    const message = completion.choices[0]?.message;
    if (!message) throw new Error("The model did not answer.");
    messages.push(message);
    if (message.tool_calls) {
      messages.push(...(await executeTools(run, completion, { handlers })));
      continue;
    }
    const finish = run.beforeFinish({ text: message.content ?? "" });
    if (finish.accept) return;
    messages.push({ role: "user", content: finish.text });
  }
});
await close();

for (const { policy, text } of run.view.nudges) console.log(`nudge by ${policy}: ${text}`);
console.log(`${run.view.turn} turns, ${run.view.toolCalls} tool calls, ${run.view.usage.inputTokens} input tokens`);
console.log(run.outcome);
assert.deepEqual([run.outcome?.reason, run.outcome?.verified], ["done", true]);
