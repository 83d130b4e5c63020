// A LangChain agent with phases and a sub-agent: a cheap model explores, a better one edits. Set OPENAI_API_KEY to use
// real models.
import assert from "node:assert/strict";
import { budget, createRun, definePhaseGraph, definePolicy, trackRun, transition, veto, vouch } from "@phasekit/core";
import { withPhases } from "@phasekit/langchain";
import { createAgent, modelCallLimitMiddleware, tool } from "langchain";
import { z } from "zod";
import { connect } from "./scripted-models.ts";

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
      tool === "explore" && run.isIn("looking") ? transition("changing", { reason: "the cause is known" }) : undefined,
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
const readFile = tool(() => file, { name: "read_file", description: "Reads the file.", schema: z.object({}) });
const editFile = tool(({ content }) => ((file = content), "written"), {
  name: "edit_file",
  description: "Writes the file.",
  schema: z.object({ content: z.string() }),
});
const runTests = tool(() => ({ exitCode: file.includes("+") ? 0 : 1 }), {
  name: "run_tests",
  description: "Runs the tests.",
  schema: z.object({}),
});

const { small, strong, asked, close } = await connect();

// The sub-agent's run is a child of the run whose tool call started it: its tokens count against the parent's budget.
const explorer = createAgent(
  withPhases(({ parent, call }) => parent?.child({ call }) ?? createRun(), { model: small, tools: [readFile] }),
);
const explore = tool(async ({ question }) => (await explorer.invoke({ messages: question })).messages.at(-1)?.text, {
  name: "explore",
  description: "Asks the explorer.",
  schema: z.object({ question: z.string() }),
});

const run = createRun({ graph: phases, mode: "gate", policies: [follow, testedFinish, budget({ turns: 20 })] });
const options = {
  model: small,
  tools: [explore, editFile, runTests],
  middleware: [modelCallLimitMiddleware({ runLimit: 30 })],
};
const agent = createAgent(withPhases(run, options, { models: { strong } }));
const { messages } = await trackRun(run, () => agent.invoke({ messages: "sum(2, 3) gives -1. Fix it." }));
await close();

console.log(messages.at(-1)?.text);
console.log(run.view.transitions.map(({ from, to, reason }) => `${from} → ${to}: ${reason ?? ""}`).join("\n"));
console.log("models asked:", asked().join(", "));
console.log("sub-agents:", [...run.view.children.values()]);
console.log(run.outcome);
assert.deepEqual(
  [run.outcome?.reason, run.outcome?.verified, run.outcome?.phase, run.view.children.size],
  ["done", true, "changing", 1],
);
