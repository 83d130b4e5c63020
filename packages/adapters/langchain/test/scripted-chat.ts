import type { BaseMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { ChatOpenAI } from "@langchain/openai";
import { definePolicy, nudge, type RunEvent, type RunPort, stop, veto } from "@phasekit/core";
import {
  type OpenAiServer,
  type Script,
  type ScriptedAnswer,
  seenRequest,
  startOpenAiServer,
} from "@phasekit/tooling/openai-server";
import { afterEach, expect } from "vitest";

const servers: OpenAiServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) {
    await server.close();
    expect(server.complaints).toEqual([]);
  }
});

/** A scripted model and the requests it got. */
export interface ScriptedChat {
  readonly model: ChatOpenAI;
  readonly server: OpenAiServer;
  /** The messages of a request, one line each. */
  readonly sent: (request: number) => readonly string[];
}

/** A chat model over a server. After the test the server is closed and must have no complaints. */
export async function scriptChat(
  script: Script,
  options: { readonly useResponsesApi?: boolean } = {},
): Promise<ScriptedChat> {
  const server = await startOpenAiServer(script);
  servers.push(server);
  return {
    model: new ChatOpenAI({
      model: "large-1",
      apiKey: "none",
      maxRetries: 0,
      configuration: { baseURL: server.url },
      ...options,
    }),
    server,
    sent: (request) =>
      seenRequest(server.requests[request]!).messages.map(({ role, text, calls = [] }) =>
        [role, ...(calls.length > 0 ? [`(${calls.join(", ")})`] : []), text].join(" ").trim(),
      ),
  };
}

export const call = (name: string, input: object = {}): ScriptedAnswer => ({
  calls: [{ tool: name, input }],
  usage: { input: 10, output: 2 },
});
export const say = (text: string): ScriptedAnswer => ({ text, usage: { input: 10, output: 2 } });

export function eventsOf(run: Pick<RunPort, "subscribe">): readonly RunEvent[] {
  const events: RunEvent[] = [];
  run.subscribe((step) => events.push(...step));
  return events;
}

export const typesOf = (events: readonly RunEvent[]): readonly string[] => events.map(({ type }) => type);

/** The messages of a state, one short line each. */
export function showMessages(messages: readonly BaseMessage[]): readonly string[] {
  return messages.map((message) => {
    const { tool_calls: calls = [], status } = message as {
      readonly tool_calls?: readonly { readonly name: string }[];
      readonly status?: string;
    };
    return [message.type, ...calls.map(({ name }) => `(${name})`), ...(status === "error" ? ["!"] : []), message.text]
      .join(" ")
      .trim();
  });
}

/** Reads a stream to its end. */
export async function drain(stream: Promise<AsyncIterable<unknown>>): Promise<void> {
  const reader = (await stream)[Symbol.asyncIterator]();
  while ((await reader.next()).done !== true);
}

export const anything = { type: "object", properties: {} } as const;

/** A tool called "look". */
export function look(execute: (input: unknown) => unknown = () => "seen") {
  return tool((input: unknown) => execute(input), { name: "look", description: "Looks.", schema: anything });
}

export const notYet = definePolicy({ name: "gate", decide: { "finish.requested": () => veto("Not yet.") } });
export const hurry = definePolicy({
  name: "speak",
  decide: { "turn.started": ({ turn }) => (turn === 2 ? nudge("Hurry.") : undefined) },
});
export const haltAfterTools = definePolicy({ name: "halt", decide: { "tool.finished": () => stop({ how: "halt" }) } });
