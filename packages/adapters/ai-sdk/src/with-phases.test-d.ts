import { createRun } from "@phasekit/core";
import {
  experimental_createSteering,
  generateText,
  type LanguageModel,
  stepCountIs,
  streamText,
  tool,
  ToolLoopAgent,
} from "ai";
import { z } from "zod";
import { withPhases } from "./with-phases.ts";

declare const model: LanguageModel;
const run = createRun();
const look = tool({ inputSchema: z.object({ path: z.string() }), execute: ({ path }) => ({ size: path.length }) });

// Inline options are typed by the function they are for, and the result by the tools.
const result = await generateText(
  withPhases(run, {
    model,
    tools: { look },
    prompt: "go",
    stopWhen: stepCountIs(5),
    prepareStep: ({ stepNumber, steps }) => (stepNumber.toFixed() === String(steps.length) ? undefined : {}),
    onStepFinish: ({ toolCalls }) => {
      void toolCalls.length.toFixed();
    },
  }),
);
for (const { output } of result.staticToolResults) output.size.toFixed();

streamText(
  withPhases(run, {
    model,
    prompt: "go",
    onChunk: ({ chunk }) => {
      chunk.type.toUpperCase();
    },
  }),
);

const agent = withPhases(() => createRun(), new ToolLoopAgent({ model, tools: { look } }), {
  createSteering: experimental_createSteering,
});
const answered = await agent.generate({ prompt: "go" });
for (const { output } of answered.staticToolResults) output.size.toFixed();

// @ts-expect-error -- a prompt is a text or messages
await generateText(withPhases(run, { model, prompt: 5 }));
