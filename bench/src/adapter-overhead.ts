import { OpenTelemetry } from "@ai-sdk/otel";
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage } from "@langchain/core/messages";
import type { ChatResult } from "@langchain/core/outputs";
import { tool } from "@langchain/core/tools";
import { createRun, type RunPort } from "@phasekit/core";
import { withPhases as wrapOptions } from "@phasekit/ai-sdk";
import { withPhases as wrapAgent } from "@phasekit/langchain";
import { executeTools, type ToolHandlers, withPhases as wrapClient } from "@phasekit/openai";
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { dynamicTool, generateText, jsonSchema, stepCountIs } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { createAgent } from "langchain";
import { OpenAI } from "openai";
import { mastraLoop, openAiAgentsLoop } from "./agent-loops.ts";
import { anthropicLoop, claudeAgentLoop } from "./anthropic-loops.ts";
import { defineComparison, type Row } from "./comparison.ts";
import { measureWatched, median, ratio } from "./measure.ts";
import { input, type LoopOptions, output, policy, TURNS, wantsTool } from "./overhead-setup.ts";

const BLOCKS = 15;
const LOOPS = 40;

/** Loops of every framework, by the name of its adapter. */
const loops: Readonly<Record<string, (options: LoopOptions) => Promise<void>>> = {
  openai: openAiLoop,
  "ai-sdk": aiSdkLoop,
  // Beside the others: what users of the AI SDK pay today to know what their agent does.
  "(ai-sdk's own telemetry, no Phasekit)": telemetryLoop,
  langchain: langchainLoop,
  anthropic: anthropicLoop,
  "claude-agent": claudeAgentLoop,
  "openai-agents": openAiAgentsLoop,
  mastra: mastraLoop,
};

const cases = Object.entries(loops).flatMap(([name, loop]) =>
  [false, true].map((tools) => ({
    what: `${name}: ${tools ? "a turn with a tool call" : "a model call"}`,
    tools,
    loop,
  })),
);

/** The cost of a run for a host that does nothing else: its model and tools answer immediately, without a network. */
export const adapterOverhead = defineComparison({
  title: "Adapters: a loop with a run, beside the bare framework",
  baseline: "the same loop without Phasekit, with the same model and tools that answer immediately",
  rows: Object.fromEntries(cases.map(({ what }): [string, Row] => [what, { what, unit: "×" }])),
  measure: async ({ now, pause, row }) => {
    for (const { what, tools, loop } of cases) {
      now(what);
      const { bare, watched } = await measureWatched((watch) => loop({ tools, watch }), {
        blocks: BLOCKS,
        count: LOOPS,
        pause,
      });
      const extra = (median(watched) - median(bare)) / (tools ? TURNS : 1) / 1000;
      row(what, ratio(watched, bare), `+${extra.toFixed(0)} µs`);
    }
    return [
      "Processor time. A model call alone includes creating the run; a turn is one of the ten of a run.",
      "A real model call takes a second or more: the microseconds are added to it.",
      "claude-agent: a hook is a request and an answer on the pipes of the process, three for each tool call.",
    ];
  },
});

let turn = 0;
let usesTools = false;
let current: RunPort = createRun();

/** A client whose requests never leave the process. Clients outlive runs, so the wrapped one gets the current run. */
const bareClient = new OpenAI({
  apiKey: "none",
  fetch: () => {
    const calls = wantsTool(turn, usesTools)
      ? [{ id: `c${turn}`, type: "function", function: { name: "run", arguments: JSON.stringify(input) } }]
      : undefined;
    turn += 1;
    const message = { role: "assistant", content: calls ? null : "Done.", ...(calls && { tool_calls: calls }) };
    const body = {
      id: `x${turn}`,
      model: "m",
      choices: [{ index: 0, message, finish_reason: calls ? "tool_calls" : "stop" }],
      usage: { prompt_tokens: 10, completion_tokens: 2 },
    };
    return Promise.resolve(new Response(JSON.stringify(body), { headers: { "content-type": "application/json" } }));
  },
});
const watchedClient = wrapClient(() => current, bareClient);
const handlers: ToolHandlers = { run: () => output };

async function openAiLoop({ tools, watch }: LoopOptions): Promise<void> {
  turn = 0;
  usesTools = tools;
  if (watch) current = createRun({ policies: [policy] });
  const client = watch ? watchedClient : bareClient;
  const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: "user", content: "go" }];
  for (;;) {
    const completion = await client.chat.completions.create({ model: "m", messages });
    const message = completion.choices[0]?.message;
    if (message === undefined) throw new Error("The model did not answer.");
    messages.push(message);
    if (!message.tool_calls) return;
    if (watch) messages.push(...(await executeTools(current, completion, { handlers })));
    else {
      for (const call of message.tool_calls) {
        if (call.type !== "function") continue;
        JSON.parse(call.function.arguments);
        messages.push({ role: "tool", tool_call_id: call.id, content: JSON.stringify(await Promise.resolve(output)) });
      }
    }
  }
}

async function aiSdkLoop({ tools, watch }: LoopOptions): Promise<void> {
  const options = aiSdkOptions(tools);
  await generateText(watch ? wrapOptions(createRun({ policies: [policy] }), options) : options);
}

const exporter = new InMemorySpanExporter();
const tracer = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).getTracer("bench");
const telemetry = { integrations: [new OpenTelemetry({ tracer })] };

async function telemetryLoop({ tools, watch }: LoopOptions): Promise<void> {
  await generateText({ ...aiSdkOptions(tools), ...(watch && { telemetry }) });
  if (watch && exporter.getFinishedSpans().length === 0) throw new Error("No span was written.");
  exporter.reset();
}

function aiSdkOptions(tools: boolean) {
  let turn = 0;
  const model = new MockLanguageModelV4({
    doGenerate: () => {
      const calls = wantsTool(turn, tools);
      turn += 1;
      return Promise.resolve({
        content: calls
          ? [{ type: "tool-call" as const, toolCallId: `c${turn}`, toolName: "run", input: JSON.stringify(input) }]
          : [{ type: "text" as const, text: "Done." }],
        finishReason: { unified: calls ? ("tool-calls" as const) : ("stop" as const), raw: undefined },
        usage: {
          inputTokens: { total: 10, noCache: 10, cacheRead: undefined, cacheWrite: undefined },
          outputTokens: { total: 2, text: 2, reasoning: undefined },
        },
        warnings: [],
      });
    },
  });
  return {
    model,
    prompt: "go",
    stopWhen: stepCountIs(TURNS + 1),
    tools: { run: dynamicTool({ inputSchema: jsonSchema({ type: "object" }), execute: () => output }) },
  };
}

/** LangChain takes classes only. */
class InstantModel extends BaseChatModel {
  _llmType(): string {
    return "instant";
  }
  override bindTools(): this {
    return this;
  }
  _generate(): Promise<ChatResult> {
    const calls = wantsTool(turn, usesTools);
    turn += 1;
    const message = new AIMessage({
      content: calls ? "" : "Done.",
      tool_calls: calls ? [{ type: "tool_call", id: `c${turn}`, name: "run", args: input }] : [],
      response_metadata: { finish_reason: calls ? "tool_calls" : "stop" },
      usage_metadata: { input_tokens: 10, output_tokens: 2, total_tokens: 12 },
    });
    return Promise.resolve({ generations: [{ text: message.text, message }] });
  }
}

const agentOptions = {
  model: new InstantModel({}),
  tools: [tool(() => output, { name: "run", description: "Runs.", schema: { type: "object" } })],
};
const bareAgent = createAgent(agentOptions);
const watchedAgent = createAgent(wrapAgent(() => createRun({ policies: [policy] }), agentOptions));

async function langchainLoop({ tools, watch }: LoopOptions): Promise<void> {
  turn = 0;
  usesTools = tools;
  await (watch ? watchedAgent : bareAgent).invoke({ messages: "go" }, { recursionLimit: 3 * TURNS });
}
