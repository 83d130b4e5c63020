import { AIMessage, type BaseMessage, ToolMessage } from "@langchain/core/messages";
import { fakeModel } from "@langchain/core/testing";
import { ChatOpenAI } from "@langchain/openai";
import type { ScriptedAgent, ScriptedAnswer, SeenMessage, SeenRequest } from "@phasekit/core/testing";
import { seenRequest, startOpenAiServer } from "@phasekit/tooling/openai-server";
import type { ScriptedModels } from "./langchain-harness.ts";

/** `@langchain/openai` against a scripted server, over chat completions or Responses. */
export function openAiModels({ useResponsesApi = false }: { readonly useResponsesApi?: boolean } = {}) {
  return async ({ answers }: ScriptedAgent, controller: AbortController): Promise<ScriptedModels> => {
    const server = await startOpenAiServer(
      answers.map((answer) => (answer.aborted === true ? { hangs: () => controller.abort() } : answer)),
    );
    return {
      model: (model) =>
        new ChatOpenAI({
          model,
          apiKey: "none",
          maxRetries: 0,
          useResponsesApi,
          configuration: { baseURL: server.url },
        }),
      requests: () => server.requests.map(seenRequest),
      close: async () => {
        await server.close();
        if (server.complaints.length > 0) throw new Error(server.complaints.join("\n"));
      },
    };
  };
}

/** The fake model of LangChain, one per name, all with one script. */
export function fakeModels({ answers }: ScriptedAgent): Promise<ScriptedModels> {
  const requests: SeenRequest[] = [];
  const model = (name: string): ReturnType<typeof fakeModel> => {
    const fake = fakeModel();
    // The fake drops tool names and tool choice; the agent binds both before every call.
    let bound: { readonly tools: readonly string[]; readonly toolChoice: string } = { tools: [], toolChoice: "auto" };
    const bindTools = fake.bindTools.bind(fake);
    fake.bindTools = (tools: readonly { readonly name?: unknown }[], options?: { readonly tool_choice?: unknown }) => {
      bound = {
        tools: tools.map((tool) => String(tool.name)),
        toolChoice: typeof options?.tool_choice === "string" ? options.tool_choice : "auto",
      };
      return bindTools(tools as Parameters<typeof bindTools>[0]);
    };
    for (const _answer of answers) {
      fake.respond((messages) => {
        const index = requests.length;
        requests.push({ model: name, messages: messages.map(toSeen), ...bound });
        return toMessage(answers[index] ?? { text: "end of script" }, { name, index });
      });
    }
    return fake;
  };
  return Promise.resolve({ model, requests: () => requests, close: () => Promise.resolve() });
}

function toMessage(
  { text = "", reasoning, finish, calls = [], usage, fails }: ScriptedAnswer,
  { name, index }: { readonly name: string; readonly index: number },
): AIMessage | Error {
  if (fails !== undefined) return Object.assign(new Error("the script says so"), fails);
  return new AIMessage({
    content:
      reasoning === undefined
        ? text
        : [
            { type: "reasoning", reasoning },
            { type: "text", text },
          ],
    tool_calls: calls.map(({ tool, input }, place) => ({
      type: "tool_call",
      id: `call-${index}-${place}`,
      name: tool,
      args: (input ?? {}) as Record<string, unknown>,
    })),
    response_metadata: {
      model_name: name,
      finish_reason: finish?.replace("-", "_") ?? (calls.length > 0 ? "tool_calls" : "stop"),
    },
    ...(usage !== undefined && {
      usage_metadata: {
        input_tokens: usage.input,
        output_tokens: usage.output,
        total_tokens: usage.input + usage.output,
        ...(usage.cached !== undefined && { input_token_details: { cache_read: usage.cached } }),
        ...(usage.reasoning !== undefined && { output_token_details: { reasoning: usage.reasoning } }),
      },
    }),
  });
}

function toSeen(message: BaseMessage): SeenMessage {
  const calls = AIMessage.isInstance(message) ? (message.tool_calls ?? []).map(({ name }) => name) : [];
  const role = ToolMessage.isInstance(message)
    ? "tool"
    : AIMessage.isInstance(message)
      ? "assistant"
      : message.type === "system"
        ? "system"
        : "user";
  return { role, text: message.text, ...(calls.length > 0 && { calls }) };
}
