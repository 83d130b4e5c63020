// An agent of Mastra with phases: the run refuses an edit that comes too early, and sends a "done" without tests back.
// Set OPENAI_API_KEY to use a real model. Mastra needs Node 22.13 or newer.
import assert from "node:assert/strict";
import { Agent } from "@mastra/core/agent";
import { createTool } from "@mastra/core/tools";
import { budget, createRun, definePhaseGraph, definePolicy, trackRun, transition, veto, vouch } from "@phasekit/core";
import { withPhases } from "@phasekit/mastra";
import { z } from "zod";
import { connect } from "./scripted-model.ts";

const phases = definePhaseGraph({
  name: "fixing",
  initial: "looking",
  phases: {
    looking: { next: ["changing"], purpose: "Find the cause.", tools: { deny: ["edit_*"] } },
    changing: { next: [], final: true, purpose: "Fix it and show that it works." },
  },
});

const follow = definePolicy({
  name: "follow",
  mentions: ["looking", "changing"],
  decide: {
    "tool.finished": (run, _state, { tool, outcome }) =>
      tool === "read_file" && outcome === "ok" && run.isIn("looking")
        ? transition("changing", { reason: "the cause is known" })
        : undefined,
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
  read_file: createTool({
    id: "read_file",
    description: "Reads the file.",
    inputSchema: z.object({}),
    execute: () => Promise.resolve(file),
  }),
  edit_file: createTool({
    id: "edit_file",
    description: "Writes the file.",
    inputSchema: z.object({ content: z.string() }),
    execute: ({ content }) => ((file = content), Promise.resolve("written")),
  }),
  run_tests: createTool({
    id: "run_tests",
    description: "Runs the tests.",
    inputSchema: z.object({}),
    execute: () => Promise.resolve({ exitCode: file.includes("+") ? 0 : 1 }),
  }),
};

const { model, close } = await connect();
const run = createRun({ graph: phases, mode: "gate", policies: [follow, testedFinish, budget({ turns: 20 })] });
const agent = withPhases(run, new Agent({ id: "fixer", name: "Fixer", instructions: "Fix the file.", model, tools }));
const { steps } = await trackRun(run, () => agent.generate("sum(2, 3) gives -1. Fix it.", { maxSteps: 20 }));
await close();

console.log(steps.at(-1)?.text);
console.log(run.view.transitions.map(({ from, to, reason }) => `${from} → ${to}: ${reason ?? ""}`).join("\n"));
console.log(run.outcome);
assert.deepEqual([run.outcome?.reason, run.outcome?.verified, run.outcome?.phase], ["done", true, "changing"]);
assert.equal(file, "return a + b;");
