import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

/** The usage every answer reports. */
export const REPORTED_USAGE = { input: 100, output: 10 } as const;
const { output } = REPORTED_USAGE;
/** More than any model's context holds. */
const FULL = 900_000;

/** One answer of the scripted model: text, one call of the agent's shell tool, or of another of its tools. */
export type Step = { readonly text: string } | { readonly shell: string } | { readonly call: ModelCall };

/** A call of one of the agent's tools. */
export interface ModelCall {
  readonly name: string;
  /** Some of Codex's tools have one. */
  readonly namespace?: string;
  /** Its input, made from the body of the request if that has to be known. */
  readonly input: object | ((body: string) => object);
}

/** Options for `ModelServer.play()`. All optional. */
export interface PlayOptions {
  /** The script of a sub-agent: of the requests that do not hold the user's prompt. */
  readonly subagent?: readonly Step[];
  /** Called before the answer to a request of the agent itself, by its number from 0. */
  readonly onRequest?: (index: number) => Promise<void> | void;
  /** The request whose answer reports that the context is full. */
  readonly fullAt?: number;
}

/** The wire formats of model providers that the agents speak. */
export type Protocol = "anthropic" | "responses" | "gemini" | "chat";

/** How an agent calls its shell tool. */
export interface ShellTool {
  readonly name: string;
  readonly input: (command: string) => object;
}

export interface ModelServer {
  readonly port: number;
  /** Starts a script from its beginning. */
  readonly play: (script: readonly Step[], options?: PlayOptions) => void;
  /** Bodies of the requests that offered tools, in order; others are side requests such as titles. */
  readonly requests: () => readonly string[];
  /** Requests of sub-agents, in order. */
  readonly subagentRequests: () => readonly string[];
  /** The times between two of them, in milliseconds. */
  readonly gaps: () => readonly number[];
  readonly close: () => Promise<void>;
}

/** The user's prompt. */
export const PROMPT = "Fix sum in sum.mjs.";

/** Requests after which every answer is text, so that no agent runs on and on. */
const MAX_REQUESTS = 40;

/** A model server on the loopback interface that plays a script; the last step repeats. */
export async function startModelServer({
  protocol,
  shell,
}: {
  readonly protocol: Protocol;
  readonly shell: ShellTool;
}): Promise<ModelServer> {
  let requests: string[] = [];
  let times: number[] = [];
  let subagentRequests: string[] = [];
  let script: readonly Step[] = [];
  let options: PlayOptions = {};
  const server = createServer((request, response) => {
    void readBody(request).then(async (body) => {
      const hasTools = request.method === "POST" && /"tools"\s*:\s*\[\s*\{/.test(body);
      const { subagent, onRequest, fullAt } = options;
      const isSubagent = subagent !== undefined && !body.includes(PROMPT);
      const track = isSubagent ? subagentRequests : requests;
      if (hasTools) track.push(body);
      if (hasTools && !isSubagent) times.push(performance.now());
      const index = track.length - 1;
      const steps = isSubagent ? subagent : script;
      if (hasTools && !isSubagent) await onRequest?.(index);
      const step: Step = !hasTools
        ? { text: "ok" }
        : index >= MAX_REQUESTS
          ? { text: "I stop here." }
          : (steps[Math.min(index, steps.length - 1)] ?? { text: "ok" });
      const call =
        "shell" in step
          ? { name: shell.name, input: shell.input(step.shell) }
          : "call" in step
            ? madeWith(step.call, body)
            : undefined;
      const text = "text" in step ? step.text : undefined;
      try {
        writers[protocol](response, {
          id: `${String(index)}${isSubagent ? "s" : "x"}${Date.now().toString(36)}`,
          text,
          call,
          url: request.url ?? "",
          input: hasTools && !isSubagent && index === fullAt ? FULL : REPORTED_USAGE.input,
        });
      } catch {
        response.writeHead(500).end();
      }
    });
  });
  await new Promise<void>((resolve) => {
    server.listen({ host: "127.0.0.1", port: 0 }, resolve);
  });
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    play: (next, more = {}) => {
      script = next;
      options = more;
      requests = [];
      subagentRequests = [];
      times = [];
    },
    gaps: () => times.slice(1).map((time, index) => time - (times[index] ?? time)),
    requests: () => requests,
    subagentRequests: () => subagentRequests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}

function madeWith({ input: given, ...call }: ModelCall, body: string): AnswerCall {
  const made: object = typeof given === "function" ? (given as (body: string) => object)(body) : given;
  return { ...call, input: made };
}

type AnswerCall = ModelCall & { readonly input: object };

interface Answer {
  readonly id: string;
  readonly text: string | undefined;
  readonly call: AnswerCall | undefined;
  readonly url: string;
  /** The tokens of the request. */
  readonly input: number;
}

const writers: Readonly<Record<Protocol, (response: ServerResponse, answer: Answer) => void>> = {
  anthropic: writeAnthropic,
  responses: writeResponses,
  gemini: writeGemini,
  chat: writeChat,
};

function stream(response: ServerResponse): (data: object, event?: string) => void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  return (data, event) => {
    response.write(`${event === undefined ? "" : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`);
  };
}

function writeAnthropic(response: ServerResponse, { id, text, call, input }: Answer): void {
  const send = stream(response);
  const event = (type: string, members: object): void => {
    send({ type, ...members }, type);
  };
  const usage = { input_tokens: input, output_tokens: output };
  event("message_start", {
    message: { id: `msg_${id}`, type: "message", role: "assistant", model: "local", content: [], usage },
  });
  event("content_block_start", {
    index: 0,
    content_block:
      call === undefined
        ? { type: "text", text: "" }
        : { type: "tool_use", id: `toolu_${id}`, name: call.name, input: {} },
  });
  event("content_block_delta", {
    index: 0,
    delta:
      call === undefined
        ? { type: "text_delta", text }
        : { type: "input_json_delta", partial_json: JSON.stringify(call.input) },
  });
  event("content_block_stop", { index: 0 });
  event("message_delta", { delta: { stop_reason: call === undefined ? "end_turn" : "tool_use" }, usage });
  event("message_stop", {});
  response.end();
}

function writeResponses(response: ServerResponse, { id, text, call, input }: Answer): void {
  const send = stream(response);
  const event = (type: string, members: object): void => {
    send({ type, ...members }, type);
  };
  const item =
    call === undefined
      ? {
          type: "message",
          id: `msg_${id}`,
          role: "assistant",
          status: "completed",
          content: [{ type: "output_text", text }],
        }
      : {
          type: "function_call",
          id: `fc_${id}`,
          call_id: `call_${id}`,
          name: call.name,
          ...(call.namespace !== undefined && { namespace: call.namespace }),
          arguments: JSON.stringify(call.input),
          status: "completed",
        };
  event("response.created", { response: { id: `resp_${id}` } });
  event("response.output_item.added", { output_index: 0, item });
  if (call === undefined) event("response.output_text.delta", { item_id: `msg_${id}`, output_index: 0, delta: text });
  event("response.output_item.done", { output_index: 0, item });
  event("response.completed", {
    response: {
      id: `resp_${id}`,
      output: [item],
      usage: { input_tokens: input, output_tokens: output, total_tokens: input + output },
    },
  });
  response.end();
}

function writeGemini(response: ServerResponse, { text, call, url, input }: Answer): void {
  if (url.includes(":countTokens")) {
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ totalTokens: input }));
    return;
  }
  const part = call === undefined ? { text } : { functionCall: { name: call.name, args: call.input } };
  const answer = {
    candidates: [{ content: { role: "model", parts: [part] }, finishReason: "STOP", index: 0 }],
    usageMetadata: { promptTokenCount: input, candidatesTokenCount: output, totalTokenCount: input + output },
  };
  if (url.includes(":generateContent")) {
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
    return;
  }
  stream(response)(answer);
  response.end();
}

function writeChat(response: ServerResponse, { id, text, call, input }: Answer): void {
  const send = stream(response);
  const chunk = (choice: object, more: object = {}): void => {
    send({
      id: `chat_${id}`,
      object: "chat.completion.chunk",
      created: 1,
      model: "fake-model",
      choices: [{ index: 0, ...choice }],
      ...more,
    });
  };
  chunk({
    delta:
      call === undefined
        ? { role: "assistant", content: text }
        : {
            role: "assistant",
            tool_calls: [
              {
                index: 0,
                id: `call_${id}`,
                type: "function",
                function: { name: call.name, arguments: JSON.stringify(call.input) },
              },
            ],
          },
    finish_reason: null,
  });
  chunk({ delta: {}, finish_reason: call === undefined ? "stop" : "tool_calls" });
  send({
    id: `chat_${id}`,
    object: "chat.completion.chunk",
    created: 1,
    model: "fake-model",
    choices: [],
    usage: { prompt_tokens: input, completion_tokens: output, total_tokens: input + output },
  });
  response.write("data: [DONE]\n\n");
  response.end();
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}
