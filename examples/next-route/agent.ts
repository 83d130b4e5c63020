import { withPhases } from "@phasekit/ai-sdk";
import { budget, createRun, type RunPort } from "@phasekit/core";
import { dynamicTool, experimental_createSteering as createSteering, jsonSchema, ToolLoopAgent } from "ai";
import { model } from "./scripted-model.ts";

/** The runs of all requests. A real app stores them, such as with `codingRun({ store: true })`. */
export const runs: RunPort[] = [];

function newRun(): RunPort {
  const run = createRun({ mode: "gate", policies: [budget({ turns: 20 })] });
  runs.push(run);
  return run;
}

const weather = dynamicTool({
  description: "Returns the weather of a city.",
  inputSchema: jsonSchema({ type: "object", properties: { city: { type: "string" } } }),
  execute: () => Promise.resolve("sunny"),
});

// One agent for all requests: every request gets its own run.
export const agent = withPhases(newRun, new ToolLoopAgent({ model, tools: { weather } }), { createSteering });
