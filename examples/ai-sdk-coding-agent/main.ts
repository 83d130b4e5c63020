// A coding agent of the AI SDK with phases: a cheap model explores, a better one edits. Set OPENAI_API_KEY to use real
// models.
import assert from "node:assert/strict";
import { budget, createRun, definePhaseGraph, definePolicy, trackRun, transition, veto, vouch } from "@phasekit/core";
import { withPhases } from "@phasekit/ai-sdk";
import { experimental_createSteering, tool, ToolLoopAgent } from "ai";
import { z } from "zod";
import { connect } from "./scripted-model.ts";

const phases = definePhaseGraph({
  name: "fixing",
  initial: "looking",
  phases: {
    looking: { next: ["changing"], purpose: "Find the cause.", tools: { deny: ["edit_*"] } },
    changing: { next: [], final: true, purpose: "Fix it and show that it works.", model: "strong" },
  },
});

const follow = definePolicy({
  name: "follow",
  mentions: ["looking", "changing"],
  decide: {
    "tool.finished": (run, _state, { tool }) =>
      tool === "read_file" && run.isIn("looking") ? transition("changing", { reason: "the file was read" }) : undefined,
  },
});

const testedFinish = definePolicy({
  name: "tested-finish",
  initial: () => ({ tested: false }),
  observe: {
    "tool.finished": (state, { tool, exitCode }) => {
      if (tool === "run_tests") state.tested = exitCode === 0;
    },
  },
  decide: {
    "finish.requested": (_run, { tested }) =>
      tested ? vouch({ evidence: "tests passed" }) : veto("Run the tests before you say it works."),
  },
});

let file = "return a - b;";
const tools = {
  read_file: tool({ inputSchema: z.object({ path: z.string() }), execute: () => file }),
  edit_file: tool({
    inputSchema: z.object({ path: z.string(), content: z.string() }),
    execute: ({ content }) => ((file = content), "written"),
  }),
  run_tests: tool({ inputSchema: z.object({}), execute: () => ({ exitCode: file.includes("+") ? 0 : 1 }) }),
};

const { small, strong, asked, close } = await connect();
const run = createRun({ graph: phases, mode: "gate", policies: [follow, testedFinish, budget({ turns: 20 })] });
const agent = withPhases(run, new ToolLoopAgent({ model: small, tools }), {
  models: { strong },
  createSteering: experimental_createSteering,
});

const { text } = await trackRun(run, () => agent.generate({ prompt: "sum(2, 3) gives -1. Fix src/sum.js." }));
await close();

console.log(text);
console.log(run.view.transitions.map(({ from, to, reason }) => `${from} → ${to}: ${reason ?? ""}`).join("\n"));
console.log("models asked:", asked().join(", "));
console.log(run.outcome);
assert.deepEqual([run.outcome?.reason, run.outcome?.verified, run.outcome?.phase], ["done", true, "changing"]);
