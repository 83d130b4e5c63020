import { createOpenAI } from "@ai-sdk/openai";
import { tool } from "@langchain/core/tools";
import { ChatOpenAI } from "@langchain/openai";
import { runUntilVerified, withPhases } from "@phasekit/ai-sdk";
import type { Run } from "@phasekit/core";
import { withPhases as wrapAgent } from "@phasekit/langchain";
import { applyTurn, executeTools, recordResponse, type ToolHandlers } from "@phasekit/openai";
import { dynamicTool, generateText, jsonSchema, type ModelMessage, stepCountIs } from "ai";
import { createAgent } from "langchain";
import OpenAI from "openai";
import { z } from "zod";

/** The tools of the scripted agent: one gives a text, one an object, one throws. */
const tools: Readonly<Record<string, (input: { readonly path?: string }) => unknown>> = {
  read_file: ({ path }) => `text of ${String(path)}`,
  run_tests: () => ({ exitCode: 1, stdout: "1 failed" }),
  broken_tool: () => {
    throw new Error("disk is full");
  },
};
const handlers: ToolHandlers = tools;
const PROMPT = "Fix the sum.";

/** Runs an agent on a host with its adapter and a scripted model, and returns the messages the host would store. */
export type SavingHost = (run: Run, baseURL: string) => Promise<unknown>;

/** A hand-written loop over chat completions. */
export const chat: SavingHost = async (run, baseURL) => {
  const client = new OpenAI({ baseURL, apiKey: "none", maxRetries: 0 });
  const messages: OpenAI.Chat.ChatCompletionMessageParam[] = [{ role: "user", content: PROMPT }];
  for (;;) {
    const completion = recordResponse(
      run,
      await client.chat.completions.create(applyTurn(run, { model: "large-1", messages })),
    );
    const { message } = completion.choices[0]!;
    messages.push(message);
    if (message.tool_calls !== undefined) messages.push(...(await executeTools(run, completion, { handlers })));
    else {
      const finish = run.beforeFinish({ text: message.content ?? "" });
      if (finish.accept) return messages;
      messages.push({ role: "user", content: finish.text });
    }
  }
};

/** A hand-written loop over the Responses API. */
export const responses: SavingHost = async (run, baseURL) => {
  const client = new OpenAI({ baseURL, apiKey: "none", maxRetries: 0 });
  const input: OpenAI.Responses.ResponseInputItem[] = [{ role: "user", content: PROMPT }];
  for (;;) {
    const response = recordResponse(run, await client.responses.create(applyTurn(run, { model: "large-1", input })));
    input.push(...(response.output as OpenAI.Responses.ResponseInputItem[]));
    if (response.output.some(({ type }) => type === "function_call"))
      input.push(...(await executeTools(run, response, { handlers })));
    else {
      const finish = run.beforeFinish({ text: response.output_text });
      if (finish.accept) return input;
      input.push({ role: "user", content: finish.text });
    }
  }
};

/** The AI SDK, generating again until the run accepts. */
export const aiSdk: SavingHost = async (run, baseURL) => {
  const model = createOpenAI({ baseURL, apiKey: "none" }).chat("large-1");
  const inputSchema = jsonSchema({ type: "object", properties: {} });
  const sdkTools = Object.fromEntries(
    Object.entries(tools).map(([name, execute]) => [
      name,
      dynamicTool({ description: name, inputSchema, execute: (input) => execute(input as object) }),
    ]),
  );
  const saved: ModelMessage[] = [{ role: "user", content: PROMPT }];
  await runUntilVerified(run, {
    messages: saved.slice(),
    generate: async (messages: ModelMessage[]) => {
      saved.splice(0, saved.length, ...messages);
      const result = await generateText(
        withPhases(run, { model, tools: sdkTools, messages, maxRetries: 0, stopWhen: stepCountIs(10) }),
      );
      saved.push(...result.responseMessages);
      return result;
    },
  });
  return saved;
};

/** An agent of LangChain. */
export const langchain: SavingHost = async (run, baseURL) => {
  const model = new ChatOpenAI({ model: "large-1", apiKey: "none", maxRetries: 0, configuration: { baseURL } });
  const made = Object.entries(tools).map(([name, execute]) =>
    tool((input: { path?: string | undefined }) => execute(input as object), {
      name,
      description: name,
      schema: z.object({ path: z.string().optional() }),
    }),
  );
  const agent = createAgent(wrapAgent(run, { model, tools: made }));
  const { messages } = (await agent.invoke({ messages: [{ role: "user", content: PROMPT }] })) as {
    readonly messages: readonly unknown[];
  };
  return messages;
};
