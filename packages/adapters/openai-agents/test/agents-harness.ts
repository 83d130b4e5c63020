import type { RunSource } from "@phasekit/core/adapter";
import type { ScriptedAgent, ScriptedTool } from "@phasekit/core/testing";
import type { ReactingHarness } from "@phasekit/tooling/adapter-suite";
import { type OpenAiServer, seenRequest, startOpenAiServer } from "@phasekit/tooling/openai-server";
import type { AgentInputItem, CallModelInputFilter } from "@openai/agents";
import { reportToolError, runUntilVerified, withPhases } from "../src/index.ts";
import type { Api, Version } from "./versions.ts";

/** The Agents SDK over a scripted server. A streamed run continues with `runUntilVerified`. */
export function agentsHarness(version: Version, api: Api): ReactingHarness {
  return {
    name: `@openai/agents ${version.version}, ${api}`,
    // A model of the SDK does not show the headers of its response.
    cannot: ["quota"],
    // Its Responses model rejects an answer that was cut off, and its chat model keeps no reasoning.
    can: ["user", "compact", api === "responses" ? "reasoning" : "finish"],
    start: async (agent) => {
      const controller = new AbortController();
      const { script, answers } = agent;
      const server = await startOpenAiServer(
        script === undefined
          ? answers.map((answer) => (answer.aborted === true ? { hangs: () => controller.abort() } : answer))
          : (request, index) => script(seenRequest(request), index),
      );
      return {
        invoke: (source) => invoke({ version, api, agent, server, signal: controller.signal }, source),
        requests: () => server.requests.map(seenRequest),
        close: async () => {
          await server.close();
          if (server.complaints.length > 0) throw new Error(server.complaints.join("\n"));
        },
      };
    },
  };
}

interface Host {
  readonly version: Version;
  readonly api: Api;
  readonly agent: ScriptedAgent;
  readonly server: OpenAiServer;
  readonly signal: AbortSignal;
}

async function invoke({ version, api, agent, server, signal }: Host, source: RunSource): Promise<string> {
  const { Agent, Runner } = version.sdk;
  const runner = withPhases(
    source,
    new Runner({ modelProvider: version.connect(server.url, api), toolNotFoundBehavior: "return_error_to_model" }),
    { models: agent.models, ...(agent.reviewer !== undefined && { reviewer: agent.reviewer }) },
  );
  const worker = new Agent({
    name: "Worker",
    model: agent.model,
    tools: agent.tools.map((tool) => toTool(version, tool)),
  });
  const options = {
    signal,
    maxTurns: 40,
    ...(agent.compact !== undefined && { callModelInputFilter: compacting(agent.compact) }),
  };
  if (!agent.stream) return textOf(await runner.run(worker, agent.prompt, options));
  const start = async (input: string | AgentInputItem[]) => {
    const stream = await runner.run(worker, input, { ...options, stream: true });
    for await (const _event of stream);
    await stream.completed;
    // An aborted stream ends without an error; a host checks its own signal.
    signal.throwIfAborted();
    return stream;
  };
  return textOf(
    typeof source === "function"
      ? await start(agent.prompt)
      : await runUntilVerified<AgentInputItem, Streamed>(source, { input: agent.prompt, start }),
  );
}

interface Streamed {
  readonly history: readonly AgentInputItem[];
  readonly finalOutput?: unknown;
}

function textOf({ finalOutput }: { readonly finalOutput?: unknown }): string {
  return typeof finalOutput === "string" ? finalOutput : "";
}

function toTool({ sdk }: Version, { name, execute, denied }: ScriptedTool) {
  return sdk.tool({
    name,
    description: name,
    parameters: { type: "object", properties: {}, required: [], additionalProperties: true },
    strict: false,
    execute: (input: unknown, _context: unknown, details: { readonly toolCall?: { readonly callId: string } } = {}) =>
      execute(input, { call: details.toolCall?.callId ?? "" }),
    errorFunction: reportToolError,
    ...(denied !== undefined && {
      inputGuardrails: [
        sdk.defineToolInputGuardrail({
          name: "person",
          run: () => Promise.resolve(sdk.ToolGuardrailFunctionOutputFactory.rejectContent(denied)),
        }),
      ],
    }),
  });
}

/** Replaces the history by a summary and the last exchange, from one of the requests on. */
function compacting({ before, summary }: NonNullable<ScriptedAgent["compact"]>): CallModelInputFilter {
  let requests = 0;
  let dropped = 0;
  return ({ modelData }) => {
    requests += 1;
    if (requests < before) return modelData;
    if (requests === before) dropped = modelData.input.length - 2;
    return { ...modelData, input: [{ role: "user", content: summary }, ...modelData.input.slice(dropped)] };
  };
}
