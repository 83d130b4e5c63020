// Two agents of the OpenAI Agents SDK: one finds the cause, one fixes it. The run refuses an edit that comes too early,
// and sends a "done" without tests back. Set OPENAI_API_KEY to use a real model.
import assert from "node:assert/strict";
import { Agent, Runner, tool } from "@openai/agents";
import { budget, createRun, definePhaseGraph, definePolicy, trackRun, transition, veto, vouch } from "@phasekit/core";
import { reportToolError, withPhases } from "@phasekit/openai-agents";
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
const tools = [
  tool({
    name: "read_file",
    description: "Reads the file.",
    parameters: z.object({}),
    errorFunction: reportToolError,
    execute: () => file,
  }),
  tool({
    name: "edit_file",
    description: "Writes the file.",
    parameters: z.object({ content: z.string() }),
    errorFunction: reportToolError,
    execute: ({ content }) => ((file = content), "written"),
  }),
  tool({
    name: "run_tests",
    description: "Runs the tests.",
    parameters: z.object({}),
    errorFunction: reportToolError,
    execute: () => ({ exitCode: file.includes("+") ? 0 : 1 }),
  }),
];

const { modelProvider, model, close } = await connect();
const fixer = new Agent({ name: "Fixer", model, instructions: "Fix the file.", tools });
const triage = Agent.create({ name: "Triage", model, instructions: "Hand over to the fixer.", handoffs: [fixer] });

const run = createRun({ graph: phases, mode: "gate", policies: [follow, testedFinish, budget({ turns: 20 })] });
const agents: string[] = [];
run.subscribe((step) => {
  for (const event of step) if (event.type === "turn.started") agents.push(event.agent ?? "Triage");
});
const runner = withPhases(run, new Runner({ modelProvider, tracingDisabled: true }));
const { finalOutput } = await trackRun(run, () => runner.run(triage, "sum(2, 3) gives -1. Fix it.", { maxTurns: 20 }));
await close();

console.log(finalOutput);
console.log(run.view.transitions.map(({ from, to, reason }) => `${from} → ${to}: ${reason ?? ""}`).join("\n"));
console.log("turns:", agents.join(", "));
console.log(run.outcome);
assert.deepEqual([run.outcome?.reason, run.outcome?.verified, run.outcome?.phase], ["done", true, "changing"]);
assert.equal(file, "return a + b;");
