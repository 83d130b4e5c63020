import type { RunPort } from "@phasekit/core";
import { runFrom, type RunSource } from "@phasekit/core/adapter";
import type { HostAbility, ScriptedAgent, ScriptedAnswer } from "@phasekit/core/testing";
import type { ReactingHarness } from "@phasekit/tooling/adapter-suite";
import { type OpenAiServer, seenRequest, startOpenAiServer } from "@phasekit/tooling/openai-server";
import type { ModelMessage } from "ai";
import { type LoopResult, type PhaseOptions, runUntilVerified, withPhases } from "../src/index.ts";
import type { Major } from "./majors.ts";

/** How the host is invoked: as a function with wrapped options, or as an agent. */
export type Style = "function" | "agent";

/** The AI SDK over a scripted server. Version 7 vetoes by steering, the others by generating again. */
export function aiSdkHarness(major: Major, style: Style): ReactingHarness {
  // Options of a call do not show its end; before version 7 the harness calls the agent again after a veto.
  const cannot: HostAbility[] = major.major !== 7 ? ["deny", "end"] : style === "function" ? ["end"] : [];
  const start = style === "function" ? invokeFunction : invokeAgent;
  return {
    name: `ai ${major.version}, ${style}`,
    cannot,
    can: ["finish", "reasoning", "user", "compact"],
    start: async (agent) => {
      const controller = new AbortController();
      const { script, answers } = agent;
      const server = await startOpenAiServer(
        script === undefined
          ? answers.map((answer) =>
              answer.aborted === true ? { hangs: () => controller.abort() } : withThought(answer),
            )
          : (request, index) => script(seenRequest(request), index),
      );
      const host: Host = { major, agent, server, signal: controller.signal };
      return {
        invoke: async (source) => {
          const text = await start(host, source);
          // streamText resolves on abort; a host checks its own signal.
          controller.signal.throwIfAborted();
          return text;
        },
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
  readonly major: Major;
  readonly agent: ScriptedAgent;
  readonly server: OpenAiServer;
  readonly signal: AbortSignal;
}

/** The chat model of the SDK reads no reasoning, but its middleware finds tagged reasoning in the text. */
function withThought({ reasoning, ...answer }: ScriptedAnswer): ScriptedAnswer {
  return reasoning === undefined ? answer : { ...answer, text: `<think>${reasoning}</think>${answer.text ?? ""}` };
}

/** Replaces the history by a summary and the last exchange, from one of the requests on. */
function compacting({ before, summary }: NonNullable<ScriptedAgent["compact"]>) {
  let dropped = 0;
  return ({ messages, stepNumber }: { messages: ModelMessage[]; stepNumber: number }) => {
    if (stepNumber + 1 < before || messages[0]?.content === summary) return undefined;
    if (stepNumber + 1 === before) dropped = messages.length - 2;
    return { messages: [{ role: "user" as const, content: summary }, ...messages.slice(dropped)] };
  };
}

function settingsOf({ major, agent, server }: Host) {
  const { sdk, connect } = major;
  const thinks = agent.answers.some(({ reasoning }) => reasoning !== undefined);
  const model = (id: string) => {
    const plain = connect(server.url)(id);
    return thinks
      ? sdk.wrapLanguageModel({
          model: plain as Parameters<typeof sdk.wrapLanguageModel>[0]["model"],
          middleware: sdk.extractReasoningMiddleware({ tagName: "think" }),
        })
      : plain;
  };
  const tools = Object.fromEntries(
    agent.tools.map(({ name, execute }) => [
      name,
      sdk.dynamicTool({
        description: name,
        inputSchema: sdk.jsonSchema({ type: "object", properties: {} }),
        execute: (input: unknown, { toolCallId }: { toolCallId: string }) => execute(input, { call: toolCallId }),
      }),
    ]),
  );
  const denied = new Map(agent.tools.flatMap(({ name, denied }) => (denied === undefined ? [] : [[name, denied]])));
  const toolApproval = ({ toolCall }: { toolCall: { toolName: string } }) => {
    const reason = denied.get(toolCall.toolName);
    return reason === undefined ? undefined : { type: "denied" as const, reason };
  };
  return {
    model: model(agent.model),
    tools,
    maxRetries: 0,
    stopWhen: sdk.stepCountIs(30),
    ...(agent.compact !== undefined && { prepareStep: compacting(agent.compact) }),
    ...(major.major === 7 && { toolApproval }),
    // streamText prints errors by default.
    onError: () => undefined,
  };
}

function phaseOptions({ major, agent, server }: Host): PhaseOptions {
  const model = major.connect(server.url);
  return {
    models: Object.fromEntries(Object.entries(agent.models).map(([label, id]) => [label, model(id)])),
    ...(agent.reviewer !== undefined && { reviewer: agent.reviewer }),
    ...(major.major === 7 && { createSteering: () => major.sdk.experimental_createSteering() }),
  };
}

async function invokeFunction(host: Host, source: RunSource): Promise<string> {
  const { agent, major, signal } = host;
  const run = runFrom(source, undefined);
  return finish(host, run, (messages) => {
    const options = withPhases(run, { ...settingsOf(host), messages, abortSignal: signal }, phaseOptions(host));
    return agent.stream ? major.sdk.streamText(options) : major.sdk.generateText(options);
  });
}

async function invokeAgent(host: Host, given: RunSource): Promise<string> {
  const { agent, major, signal } = host;
  const { ToolLoopAgent, Experimental_Agent: Agent5 } = major.sdk as unknown as {
    readonly ToolLoopAgent?: AgentClass;
    readonly Experimental_Agent?: AgentClass;
  };
  const Agent = ToolLoopAgent ?? Agent5;
  if (Agent === undefined) throw new Error("no agent class");
  // Version 7 calls the agent once; the others call it again after each veto, with the same run.
  const source = major.major === 7 ? given : runFrom(given, undefined);
  const phased = withPhases(source, new Agent(settingsOf(host)), phaseOptions(host));
  return finish(host, source, (messages) => {
    const call = { messages, abortSignal: signal };
    return agent.stream ? phased.stream(call) : phased.generate(call);
  });
}

type AgentClass = new (settings: object) => {
  readonly generate: (call: object) => Generated;
  readonly stream: (call: object) => Generated;
};
type Generated = object | Promise<object>;

/** Version 7 vetoes by steering; the others generate again. */
async function finish(
  { agent, major }: Host,
  source: RunSource,
  generate: (messages: ModelMessage[]) => Generated,
): Promise<string> {
  const messages: ModelMessage[] = [{ role: "user", content: agent.prompt }];
  const result =
    major.major === 7
      ? await generate(messages)
      : await runUntilVerified(source as RunPort, {
          messages,
          generate: async (list) => (await generate(list)) as LoopResult<ModelMessage>,
        });
  return await (result as { readonly text: string | Promise<string> }).text;
}
