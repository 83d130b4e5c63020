import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { Command, END, isInterrupted, MemorySaver, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { ToolNode, toolsCondition } from "@langchain/langgraph/prebuilt";
import type { RunSource } from "@phasekit/core/adapter";
import type { AdapterHarness, HostAbility, ScriptedAgent, SeenRequest } from "@phasekit/core/testing";
import * as newest from "langchain";
import { phaseMiddleware, phaseNode, phaseTools } from "../src/index.ts";

/** Models that follow a script, by their names, and what reached them. */
export interface ScriptedModels {
  readonly model: (name: string) => BaseChatModel;
  readonly requests: () => readonly SeenRequest[];
  readonly close: () => Promise<void>;
}

/** An agent or a graph, as far as it is used. */
interface Invocable {
  readonly invoke: (input: never, config: object) => Promise<unknown>;
  readonly stream: (input: never, config: never) => Promise<AsyncIterable<unknown>>;
}

export interface HarnessOptions {
  readonly name: string;
  readonly cannot: readonly HostAbility[];
  /** Streams in every scenario, not only in those about streams. @default false */
  readonly streams?: boolean;
  readonly connect: (agent: ScriptedAgent, controller: AbortController) => Promise<ScriptedModels>;
  readonly build: (host: Host, source: RunSource) => Invocable;
}

interface Host {
  readonly scripted: ScriptedAgent;
  readonly models: ScriptedModels;
}

/** LangChain or LangGraph over models of any kind. */
export function langchainHarness({ name, cannot, streams = false, connect, build }: HarnessOptions): AdapterHarness {
  return {
    name,
    cannot,
    start: async (scripted) => {
      const controller = new AbortController();
      const models = await connect(scripted, controller);
      const config = { signal: controller.signal, recursionLimit: 50, configurable: { thread_id: "1" } };
      return {
        invoke: async (source) => {
          const host = build({ scripted, models }, source);
          const denials = [...deniedTools(scripted).values()].map((message) => ({ type: "reject", message }));
          // LangChain wraps what a middleware throws.
          const messages = await play(host, { input: { messages: scripted.prompt }, denials, config, streams: streams || scripted.stream }).catch((error: unknown) => {
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

/** Invokes the host; where it waits for a person, the person says no. */
async function play(host: Invocable, { input, denials, config, streams }: Playing): Promise<readonly BaseMessage[]> {
  let state: unknown;
  if (!streams) state = await host.invoke(input as never, config);
  else {
    for await (const chunk of await host.stream(input as never, { ...config, streamMode: ["messages", "values"] } as never)) {
      const [mode, value] = chunk as readonly [string, unknown];
      if (mode === "values") state = value;
    }
  }
  if (isInterrupted(state)) return play(host, { input: new Command({ resume: { decisions: denials } }), denials, config, streams });
  return (state as { readonly messages: readonly BaseMessage[] }).messages;
}

/** `createAgent` of a version of LangChain, as far as the tests use it. */
export type LangChain = Pick<typeof newest, "createAgent" | "humanInTheLoopMiddleware">;

/** `createAgent` with the middleware; with a person in the loop when the script has a call to deny. */
export function buildAgent({ scripted, models }: Host, source: RunSource, { createAgent, humanInTheLoopMiddleware }: LangChain = newest): Invocable {
  const denied = deniedTools(scripted);
  const interruptOn = Object.fromEntries([...denied.keys()].map((name) => [name, { allowedDecisions: ["reject" as const] }]));
  return createAgent({
    model: models.model(scripted.model),
    tools: toolsOf(scripted),
    middleware: [phaseMiddleware(source, phaseOptions({ scripted, models })), ...(denied.size > 0 ? [humanInTheLoopMiddleware({ interruptOn })] : [])],
    ...(denied.size > 0 && { checkpointer: new MemorySaver() }),
  });
}

/** A graph made by hand: a model node, and the tool node that comes with LangGraph. */
export function buildGraph({ scripted, models }: Host, source: RunSource): Invocable {
  const tools = phaseTools(source, toolsOf(scripted));
  const agent = phaseNode(
    source,
    async ({ messages }: typeof MessagesAnnotation.State, config, { model = models.model(scripted.model), toolChoice }) => ({
      messages: [await (model.bindTools?.(tools, { ...(toolChoice !== undefined && { tool_choice: toolChoice }) }) ?? model).invoke(messages, config)],
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

/** What the model said last; a message of Phasekit in its place is not its word. */
function lastText(messages: readonly BaseMessage[]): string {
  const last = messages.at(-1);
  return AIMessage.isInstance(last) && last.response_metadata["phasekit"] === undefined ? last.text : "";
}

function toolsOf({ tools }: ScriptedAgent) {
  return tools.map(({ name, execute }) =>
    tool((input, config: { readonly toolCall?: { readonly id?: string } }) => execute(input, { call: String(config.toolCall?.id) }), {
      name,
      description: name,
      schema: { type: "object", properties: {} },
    }),
  );
}

/** The tools a person says no to, if the model calls them. */
function deniedTools({ tools, answers }: ScriptedAgent): ReadonlyMap<string, string> {
  const called = new Set(answers.flatMap(({ calls = [] }) => calls.map(({ tool }) => tool)));
  return new Map(tools.flatMap(({ name, denied }) => (denied !== undefined && called.has(name) ? [[name, denied]] : [])));
}
