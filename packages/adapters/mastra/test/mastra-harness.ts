import { Agent } from "@mastra/core/agent";
import type { ProcessLLMRequestArgs } from "@mastra/core/processors";
import { createTool } from "@mastra/core/tools";
import type { RunSource } from "@phasekit/core/adapter";
import type { ScriptedAgent, ScriptedTool, SeenRequest } from "@phasekit/core/testing";
import type { ReactingHarness } from "@phasekit/tooling/adapter-suite";
import { type OpenAiServer, seenRequest, startOpenAiServer } from "@phasekit/tooling/openai-server";
import { setImmediate } from "node:timers/promises";
import { z } from "zod";
import { withPhases } from "../src/index.ts";

/** Mastra over a scripted server. */
export function mastraHarness(): ReactingHarness {
  return {
    name: "@mastra/core 1.71.0",
    cannot: ["quota"],
    can: ["finish", "reasoning", "user", "compact"],
    start: async (agent) => {
      const controller = new AbortController();
      const { script, answers } = agent;
      const server = await startOpenAiServer(
        script === undefined
          ? answers.map((answer) => (answer.aborted === true ? { hangs: () => controller.abort() } : answer))
          : (request, index) => script(seenStep(request), index),
      );
      return {
        invoke: (source) => invoke({ agent, server, signal: controller.signal }, source),
        requests: () => server.requests.map(seenStep),
        close: async () => {
          await server.close();
          if (server.complaints.length > 0) throw new Error(server.complaints.join("\n"));
        },
      };
    },
  };
}

interface Host {
  readonly agent: ScriptedAgent;
  readonly server: OpenAiServer;
  readonly signal: AbortSignal;
}

async function invoke({ agent, server, signal }: Host, source: RunSource): Promise<string> {
  // Its chat model does not ask for the usage of a stream.
  const model = (id: string) => ({
    id: `scripted/${id}` as const,
    url: server.url,
    apiKey: "none",
    api: agent.stream ? ("responses" as const) : ("chat" as const),
  });
  const worker = withPhases(
    source,
    new Agent({
      id: "worker",
      name: "Worker",
      instructions: "",
      model: model(agent.model),
      maxRetries: 0,
      ...(agent.compact !== undefined && { inputProcessors: [compacting(agent.compact)] }),
      tools: Object.fromEntries(agent.tools.map((tool) => [tool.name, toTool(tool)])),
    }),
    {
      models: Object.fromEntries(Object.entries(agent.models).map(([label, id]) => [label, model(id)])),
      ...(agent.reviewer !== undefined && { reviewer: agent.reviewer }),
    },
  );
  const denied = new Map(agent.tools.flatMap(({ name, denied }) => (denied === undefined ? [] : [[name, denied]])));
  const options = {
    maxSteps: 40,
    abortSignal: signal,
    modelSettings: { maxRetries: 0 },
    // Otherwise a request only refers to what the provider stores.
    providerOptions: { openai: { store: false } },
    hooks: {
      beforeToolCall: ({ toolName }: { readonly toolName: string }) => {
        const output = denied.get(toolName);
        return output === undefined ? undefined : { proceed: false as const, output };
      },
    },
  };
  if (!agent.stream) {
    const { steps, error } = await worker.generate(agent.prompt, options);
    if (error !== undefined) throw error;
    signal.throwIfAborted();
    return lastText(steps);
  }
  const stream = await worker.stream(agent.prompt, options);
  await stream.consumeStream();
  // Mastra calls `onFinish` after the stream is read.
  await setImmediate();
  const steps = await stream.steps;
  if (stream.error !== undefined) throw stream.error;
  signal.throwIfAborted();
  return lastText(steps);
}

/** The text of a result is that of all its steps. */
function lastText(steps: readonly { readonly text: string }[]): string {
  return steps.at(-1)?.text ?? "";
}

/** For a step without tools, Mastra leaves the list out of the request. */
function seenStep(request: Parameters<typeof seenRequest>[0]): SeenRequest {
  const seen = seenRequest(request);
  return seen.tools.length === 0 ? { ...seen, toolChoice: "none" } : seen;
}

function toTool({ name, execute }: ScriptedTool) {
  return createTool({
    id: name,
    description: name,
    inputSchema: z.looseObject({}),
    execute: (input: unknown, context: { readonly agent?: { readonly toolCallId?: string } }) =>
      // A scripted tool may throw: the promise rejects, as that of an async function.
      Promise.resolve().then(() => execute(input, { call: context.agent?.toolCallId ?? "" })),
  });
}

/** Replaces the history by a summary and the last exchange, from one of the requests on. */
function compacting({ before, summary }: NonNullable<ScriptedAgent["compact"]>) {
  let requests = 0;
  let dropped = 0;
  return {
    id: "compacting",
    processLLMRequest: ({ prompt }: Pick<ProcessLLMRequestArgs, "prompt">) => {
      requests += 1;
      if (requests < before) return undefined;
      if (requests === before) dropped = prompt.length - 2;
      const said = { role: "user" as const, content: [{ type: "text" as const, text: summary }] };
      return { prompt: [said, ...prompt.slice(dropped)] };
    },
  };
}
