import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage } from "@langchain/core/messages";
import type { ChatResult } from "@langchain/core/outputs";
import { tool } from "@langchain/core/tools";
import { createRun, type RunPort } from "@phasekit/core";
import { withPhases as wrapOptions } from "@phasekit/ai-sdk";
import { withPhases as wrapAgent } from "@phasekit/langchain";
import { executeTools, type ToolHandlers, withPhases as wrapClient } from "@phasekit/openai";
import { dynamicTool, generateText, jsonSchema, stepCountIs } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { createAgent } from "langchain";
import { OpenAI } from "openai";
import { mastraLoop, openAiAgentsLoop } from "./agent-loops.ts";
import { anthropicLoop, claudeAgentLoop } from "./anthropic-loops.ts";
import { median, ratio } from "./measure.ts";
import { input, type LoopOptions, output, policy, TURNS, wantsTool } from "./overhead-setup.ts";
import type { Story } from "./comparison.ts";

const BLOCKS = 15;
const LOOPS = 40;

/**
 * What watching costs a host that does nothing else: its model and its tools answer at once, and there is no network.
 */
export async function adapterOverhead(): Promise<Story> {
  const results = [];
  for (const { name, loop } of [
    { name: "openai", loop: openAiLoop },
    { name: "ai-sdk", loop: aiSdkLoop },
    { name: "langchain", loop: langchainLoop },
    { name: "anthropic", loop: anthropicLoop },
    { name: "claude-agent", loop: claudeAgentLoop },
    { name: "openai-agents", loop: openAiAgentsLoop },
    { name: "mastra", loop: mastraLoop },
  ]) {
    for (const tools of [false, true]) {
      const { bare, watched } = await measure((watch) => loop({ tools, watch }));
      const turns = tools ? TURNS : 1;
      const extra = (median(watched) - median(bare)) / turns / 1000;
      results.push({
        what: `${name}: ${tools ? "a turn with a tool call" : "a model call"} (+${extra.toFixed(0)} µs)`,
        value: ratio(watched, bare),
        unit: "×" as const,
      });
    }
  }
  return {
    title: "Adapters: a watched loop against the bare framework",
    baseline: "the same loop without Phasekit, with the same model and tools that answer at once",
    results,
    notes: [
      "Processor time. A model call alone includes making the run it is watched by; a turn is one of ten of a run.",
      "A real model call takes a second or more: the microseconds are what is added to it.",
      "claude-agent: a hook is a request and an answer on the pipes of the process, three for each tool call.",
    ],
  };
}

type Loop = (watch: boolean) => Promise<void>;

/**
 * Nanoseconds of processor time per loop, block by block, in turn: what others do on the machine hardly shows in it.
 */
async function measure(loop: Loop): Promise<{ readonly bare: readonly number[]; readonly watched: readonly number[] }> {
  const samples = { bare: [] as number[], watched: [] as number[] };
  for (let block = -3; block < BLOCKS; block += 1) {
    const order = block % 2 === 0 ? (["bare", "watched"] as const) : (["watched", "bare"] as const);
    for (const name of order) {
      const start = process.cpuUsage();
      for (let count = 0; count < LOOPS; count += 1) await loop(name === "watched");
      const { user, system } = process.cpuUsage(start);
      if (block >= 0) samples[name].push(((user + system) * 1000) / LOOPS);
    }
  }
  return samples;
}

let turn = 0;
let usesTools = false;
let current: RunPort = createRun();

/** A client whose requests never leave the process. Clients outlive runs: the wrapped one is told which run it is. */
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
  const options = {
    model,
    prompt: "go",
    stopWhen: stepCountIs(TURNS + 1),
    tools: { run: dynamicTool({ inputSchema: jsonSchema({ type: "object" }), execute: () => output }) },
  };
  await generateText(watch ? wrapOptions(createRun({ policies: [policy] }), options) : options);
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
