import { Agent as MastraAgent } from "@mastra/core/agent";
import { createTool } from "@mastra/core/tools";
import { Agent, type Model, Runner, tool, Usage } from "@openai/agents";
import { createRun } from "@phasekit/core";
import { withPhases as wrapAgent } from "@phasekit/mastra";
import { withPhases as wrapRunner } from "@phasekit/openai-agents";
import { z } from "zod";
import { input, type LoopOptions, output, policy, wantsTool } from "./overhead-setup.ts";

let turn = 0;
let usesTools = false;

/** A model of the Agents SDK that answers immediately. */
const model = {
  getResponse: () => {
    const calls = wantsTool(turn, usesTools);
    turn += 1;
    const text = { type: "output_text", text: "Done." };
    const item = calls
      ? {
          type: "function_call",
          callId: `c${turn}`,
          name: "run",
          arguments: JSON.stringify(input),
          status: "completed",
        }
      : { type: "message", role: "assistant", status: "completed", content: [text] };
    return Promise.resolve({ usage: new Usage({ inputTokens: 10, outputTokens: 2, totalTokens: 12 }), output: [item] });
  },
} as unknown as Model;
const parameters = z.object({ path: z.string(), text: z.string() });
const runTool = tool({ name: "run", description: "Runs.", parameters, execute: () => output });
const agent = new Agent({ name: "Worker", model, tools: [runTool] });
const runner = new Runner({ tracingDisabled: true });

export async function openAiAgentsLoop({ tools, watch }: LoopOptions): Promise<void> {
  turn = 0;
  usesTools = tools;
  const watched = watch ? wrapRunner(createRun({ policies: [policy] }), runner) : runner;
  await watched.run(agent, "go", { maxTurns: 20 });
}

/** A model of Mastra that answers immediately. */
const mastraModel = {
  specificationVersion: "v2",
  provider: "script",
  modelId: "script",
  supportedUrls: {},
  doGenerate: () => {
    const calls = wantsTool(turn, usesTools);
    turn += 1;
    const part = calls
      ? { type: "tool-call", toolCallId: `c${turn}`, toolName: "run", input: JSON.stringify(input) }
      : { type: "text", text: "Done." };
    const usage = { inputTokens: 10, outputTokens: 2, totalTokens: 12 };
    return Promise.resolve({ content: [part], finishReason: calls ? "tool-calls" : "stop", usage, warnings: [] });
  },
} as never;
const mastraAgent = new MastraAgent({
  id: "worker",
  name: "Worker",
  instructions: "Work.",
  model: mastraModel,
  tools: {
    run: createTool({
      id: "run",
      description: "Runs.",
      inputSchema: parameters,
      execute: () => Promise.resolve(output),
    }),
  },
});

export async function mastraLoop({ tools, watch }: LoopOptions): Promise<void> {
  turn = 0;
  usesTools = tools;
  const watched = watch ? wrapAgent(createRun({ policies: [policy] }), mastraAgent) : mastraAgent;
  await watched.generate("go", { maxSteps: 20 });
}
