import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, type BaseMessage, HumanMessage, RemoveMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import {
  Command,
  END,
  isInterrupted,
  MemorySaver,
  MessagesAnnotation,
  REMOVE_ALL_MESSAGES,
  START,
  StateGraph,
} from "@langchain/langgraph";
import { ToolNode, toolsCondition } from "@langchain/langgraph/prebuilt";
import type { RunSource } from "@phasekit/core/adapter";
import type { AdapterHarness, AdapterSkill, HostAbility, ScriptedAgent, SeenRequest } from "@phasekit/core/testing";
import * as newest from "langchain";
import { phaseTools, withPhases } from "../src/index.ts";

/** Scripted models by name, and the requests they got. */
export interface ScriptedModels {
  readonly model: (name: string) => BaseChatModel;
  readonly requests: () => readonly SeenRequest[];
  readonly close: () => Promise<void>;
}

/** The members we use of an agent or a graph. */
interface Invocable {
  readonly invoke: (input: never, config: object) => Promise<unknown>;
  readonly stream: (input: never, config: never) => Promise<AsyncIterable<unknown>>;
}

export interface HarnessOptions {
  readonly name: string;
  readonly cannot: readonly HostAbility[];
  readonly can?: readonly AdapterSkill[];
  /** Streams in every scenario, not only in those about streams. @default false */
  readonly streams?: boolean;
  readonly connect: (agent: ScriptedAgent, controller: AbortController) => Promise<ScriptedModels>;
  readonly build: (host: Host, source: RunSource) => Invocable;
}

interface Host {
  readonly scripted: ScriptedAgent;
  readonly models: ScriptedModels;
}

/** LangChain or LangGraph with any kind of model. */
export function langchainHarness({
  name,
  cannot,
  can,
  streams = false,
  connect,
  build,
}: HarnessOptions): AdapterHarness {
  return {
    name,
    cannot,
    can,
    start: async (scripted) => {
      const controller = new AbortController();
      const models = await connect(scripted, controller);
      const config = { signal: controller.signal, recursionLimit: 50, configurable: { thread_id: "1" } };
      return {
        invoke: async (source) => {
          const host = build({ scripted, models }, source);
          const denials = [...deniedTools(scripted).values()].map((message) => ({ type: "reject", message }));
          // LangChain wraps errors of a middleware.
          const messages = await play(host, {
            input: { messages: scripted.prompt },
            denials,
            config,
            streams: streams || scripted.stream,
          }).catch((error: unknown) => {
            throw (error as { readonly cause?: unknown }).cause ?? error;
          });
          return lastText(messages);
        },
        requests: models.requests,
        close: models.close,
      };
    },
  };
}

interface Playing {
  readonly input: unknown;
  readonly denials: readonly object[];
  readonly config: object;
  readonly streams: boolean;
}

/** Invokes the host. If it waits for a person, the person rejects the call. */
async function play(host: Invocable, { input, denials, config, streams }: Playing): Promise<readonly BaseMessage[]> {
  let state: unknown;
  if (!streams) state = await host.invoke(input as never, config);
  else {
    for await (const chunk of await host.stream(
      input as never,
      { ...config, streamMode: ["messages", "values"] } as never,
    )) {
      const [mode, value] = chunk as readonly [string, unknown];
      if (mode === "values") state = value;
    }
  }
  if (isInterrupted(state))
    return play(host, { input: new Command({ resume: { decisions: denials } }), denials, config, streams });
  return (state as { readonly messages: readonly BaseMessage[] }).messages;
}

/** The part of a LangChain version the tests use. */
export type LangChain = Pick<typeof newest, "createAgent" | "createMiddleware" | "humanInTheLoopMiddleware">;

/** `createAgent` with a run; with a person in the loop if the script has a call to deny. */
export function buildAgent(
  { scripted, models }: Host,
  source: RunSource,
  { createAgent, createMiddleware, humanInTheLoopMiddleware }: LangChain = newest,
): Invocable {
  const denied = deniedTools(scripted);
  const interruptOn = Object.fromEntries(
    [...denied.keys()].map((name) => [name, { allowedDecisions: ["reject" as const] }]),
  );
  const options = {
    model: models.model(scripted.model),
    tools: toolsOf(scripted),
    middleware: [
      ...(denied.size > 0 ? [humanInTheLoopMiddleware({ interruptOn })] : []),
      ...(scripted.compact === undefined ? [] : [compacting(scripted.compact, createMiddleware)]),
    ],
    ...(denied.size > 0 && { checkpointer: new MemorySaver() }),
  };
  return withPhases(source, createAgent(options), phaseOptions({ scripted, models }));
}

/** Replaces the history by a summary and the last exchange, before one of the requests. */
function compacting(
  { before, summary }: NonNullable<ScriptedAgent["compact"]>,
  createMiddleware: LangChain["createMiddleware"],
) {
  let requests = 0;
  return createMiddleware({
    name: "compacting",
    beforeModel: ({ messages }) => {
      requests += 1;
      if (requests !== before) return undefined;
      const kept = [new HumanMessage(summary), ...messages.slice(-2)];
      return { messages: [new RemoveMessage({ id: REMOVE_ALL_MESSAGES }), ...kept] };
    },
  });
}

/** A hand-made graph: a model node and the tool node of LangGraph. */
export function buildGraph({ scripted, models }: Host, source: RunSource): Invocable {
  const tools = phaseTools(source, toolsOf(scripted));
  const agent = withPhases(
    source,
    async (
      { messages }: typeof MessagesAnnotation.State,
      config,
      { model = models.model(scripted.model), toolChoice },
    ) => ({
      messages: [
        await (
          model.bindTools?.(tools, { ...(toolChoice !== undefined && { tool_choice: toolChoice }) }) ?? model
        ).invoke(messages, config),
      ],
    }),
    phaseOptions({ scripted, models }),
  );
  return new StateGraph(MessagesAnnotation)
    .addNode("agent", agent)
    .addNode("tools", new ToolNode(tools))
    .addEdge(START, "agent")
    .addConditionalEdges("agent", toolsCondition, ["tools", END])
    .addEdge("tools", "agent")
    .compile();
}

function phaseOptions({ scripted, models }: Host) {
  return {
    models: Object.fromEntries(Object.entries(scripted.models).map(([label, id]) => [label, models.model(id)])),
    ...(scripted.reviewer !== undefined && { reviewer: scripted.reviewer }),
  };
}

/** The last message of the model; a stop message of Phasekit does not count. */
function lastText(messages: readonly BaseMessage[]): string {
  const last = messages.at(-1);
  return AIMessage.isInstance(last) && last.response_metadata["phasekit"] === undefined ? last.text : "";
}

function toolsOf({ tools }: ScriptedAgent) {
  return tools.map(({ name, execute }) =>
    tool(
      (input, config: { readonly toolCall?: { readonly id?: string } }) =>
        execute(input, { call: String(config.toolCall?.id) }),
      {
        name,
        description: name,
        schema: { type: "object", properties: {} },
      },
    ),
  );
}

/** The tools whose calls a person rejects. */
function deniedTools({ tools, answers }: ScriptedAgent): ReadonlyMap<string, string> {
  const called = new Set(answers.flatMap(({ calls = [] }) => calls.map(({ tool }) => tool)));
  return new Map(
    tools.flatMap(({ name, denied }) => (denied !== undefined && called.has(name) ? [[name, denied]] : [])),
  );
}
