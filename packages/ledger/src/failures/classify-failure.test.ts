import Anthropic from "@anthropic-ai/sdk";
import { createOpenAI } from "@ai-sdk/openai";
import { ChatOpenAI } from "@langchain/openai";
import { generateObject, generateText } from "ai";
import { createServer, type Server, type ServerResponse } from "node:http";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { classifyFailure, reasonOfFailure } from "./classify-failure.ts";

/** What the local provider does with the next request. */
let answer: (response: ServerResponse) => void = () => undefined;
let server: Server;
let url = "";

beforeAll(async () => {
  server = createServer((request, response) => {
    request.resume();
    answer(response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  url = `http://127.0.0.1:${String(typeof address === "object" ? address?.port : 0)}/v1`;
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const json =
  (status: number, body: unknown, headers: Record<string, string> = {}) =>
  (response: ServerResponse) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(JSON.stringify(body));
  };
const openAiError = (status: number, error: object, headers?: Record<string, string>) =>
  json(status, { error }, headers);
const hang = (): void => undefined;
const cut = (response: ServerResponse): void => {
  response.writeHead(200, { "content-type": "application/json", "content-length": "1000" });
  response.write('{"id":"x","choices":[{"mess');
  setTimeout(() => response.destroy(), 5);
};
const refuse = (response: ServerResponse): void => void response.socket?.destroy();

type Client = (options: {
  readonly baseURL: string;
  readonly timeout?: number;
  readonly signal?: AbortSignal;
}) => Promise<unknown>;

const clients: Readonly<Record<string, Client>> = {
  openai: ({ baseURL, timeout, signal }) =>
    new OpenAI({
      apiKey: "test",
      baseURL,
      maxRetries: 0,
      ...(timeout !== undefined && { timeout }),
    }).chat.completions.create({ model: "m", messages: [{ role: "user", content: "hi" }] }, { signal }),
  anthropic: ({ baseURL, timeout, signal }) =>
    new Anthropic({
      apiKey: "test",
      baseURL: baseURL.replace("/v1", ""),
      maxRetries: 0,
      ...(timeout !== undefined && { timeout }),
    }).messages.create({ model: "m", max_tokens: 5, messages: [{ role: "user", content: "hi" }] }, { signal }),
  "ai-sdk": ({ baseURL, timeout, signal }) =>
    generateText({
      model: createOpenAI({ apiKey: "test", baseURL }).chat("m"),
      prompt: "hi",
      maxRetries: 0,
      abortSignal: signal ?? (timeout === undefined ? undefined : AbortSignal.timeout(timeout)),
    }),
  langchain: ({ baseURL, timeout, signal }) =>
    new ChatOpenAI({
      apiKey: "test",
      model: "m",
      maxRetries: 0,
      configuration: { baseURL },
      ...(timeout !== undefined && { timeout }),
    }).invoke("hi", { signal }),
  fetch: async ({ baseURL, timeout, signal }) => {
    const response = await fetch(baseURL, {
      signal: signal ?? (timeout === undefined ? null : AbortSignal.timeout(timeout)),
    });
    const body = (await response.json()) as object;
    // oxlint-disable-next-line typescript/only-throw-error -- what a client by hand throws
    throw { status: response.status, headers: response.headers, ...body };
  },
};

async function failureOf(client: string, options: Partial<Parameters<Client>[0]> = {}): Promise<unknown> {
  try {
    await clients[client]!({ baseURL: url, ...options });
  } catch (error) {
    return error;
  }
  throw new Error(`${client} did not fail`);
}

const situations: readonly {
  readonly name: string;
  readonly answer: (response: ServerResponse) => void;
  readonly reason: string;
  readonly retry: boolean;
  readonly afterMs?: number;
  readonly options?: Partial<Parameters<Client>[0]>;
  readonly only?: readonly string[];
}[] = [
  {
    name: "429",
    answer: openAiError(429, { message: "Rate limit reached", type: "requests", code: "rate_limit_exceeded" }),
    reason: "rate_limit",
    retry: true,
  },
  {
    name: "429 with retry-after",
    answer: openAiError(429, { message: "slow down", type: "rate_limit_error" }, { "retry-after": "7" }),
    reason: "rate_limit",
    retry: true,
    afterMs: 7000,
    only: ["openai", "anthropic", "ai-sdk", "fetch"],
  },
  {
    name: "429 quota used up",
    answer: openAiError(429, {
      message: "You exceeded your current quota",
      type: "insufficient_quota",
      code: "insufficient_quota",
    }),
    reason: "rate_limit",
    retry: false,
  },
  {
    name: "OpenRouter key limit",
    answer: openAiError(403, { message: "Key limit exceeded (weekly limit)", code: 403 }),
    reason: "rate_limit",
    retry: false,
  },
  { name: "plain 403", answer: openAiError(403, { message: "Forbidden" }), reason: "rate_limit", retry: false },
  { name: "402", answer: openAiError(402, { message: "Insufficient credits" }), reason: "rate_limit", retry: false },
  {
    name: "401",
    answer: openAiError(401, { message: "Incorrect API key", code: "invalid_api_key" }),
    reason: "unknown",
    retry: false,
  },
  {
    name: "500",
    answer: openAiError(500, { message: "oops", type: "server_error" }),
    reason: "upstream_unhealthy",
    retry: true,
  },
  { name: "503", answer: openAiError(503, { message: "try later" }), reason: "upstream_unhealthy", retry: true },
  {
    name: "529 overloaded",
    answer: json(529, { type: "error", error: { type: "overloaded_error", message: "Overloaded" } }),
    reason: "upstream_unhealthy",
    retry: true,
  },
  {
    name: "400 context",
    answer: openAiError(400, {
      message: "This model's maximum context length is 8192 tokens",
      code: "context_length_exceeded",
      type: "invalid_request_error",
    }),
    reason: "context_overflow",
    retry: false,
  },
  {
    name: "400 prompt too long",
    answer: json(400, {
      type: "error",
      error: { type: "invalid_request_error", message: "prompt is too long: 210000 tokens > 200000 maximum" },
    }),
    reason: "context_overflow",
    retry: false,
  },
  {
    name: "400 content filter",
    answer: openAiError(400, {
      message: "The response was filtered due to content management policy",
      code: "content_filter",
    }),
    reason: "content_filtered",
    retry: false,
  },
  {
    name: "plain 400",
    answer: openAiError(400, { message: "bad request", type: "invalid_request_error" }),
    reason: "unknown",
    retry: false,
  },
  { name: "connection closed", answer: refuse, reason: "connection_error", retry: true },
  {
    name: "nobody listens",
    answer: hang,
    options: { baseURL: "http://127.0.0.1:1/v1" },
    reason: "connection_error",
    retry: true,
  },
  {
    name: "name lookup",
    answer: hang,
    options: { baseURL: "http://name.invalid/v1" },
    reason: "connection_error",
    retry: true,
  },
  { name: "answer cut off", answer: cut, reason: "connection_error", retry: true },
  { name: "call past its limit", answer: hang, options: { timeout: 40 }, reason: "timeout", retry: false },
];

describe("classifyFailure with errors of the real libraries", () => {
  describe.each(Object.keys(clients))("%s", (client) => {
    it.each(situations.filter(({ only }) => only?.includes(client) !== false))(
      "$name: $reason, retry $retry",
      async ({ answer: next, options, reason, retry, afterMs }) => {
        answer = next;
        const error = await failureOf(client, options);
        const found = classifyFailure(error);
        expect(reasonOfFailure(error)).toBe(found.reason);
        expect({
          reason: found.reason,
          retry: found.retry.retry,
          ...(afterMs !== undefined && { afterMs: found.retry.afterMs }),
        }).toEqual({ reason, retry, ...(afterMs !== undefined && { afterMs }) });
      },
    );

    it("an abort on purpose is interrupted and not tried again", async () => {
      answer = hang;
      const controller = new AbortController();
      setTimeout(() => controller.abort(), 20);
      const { reason, retry } = classifyFailure(await failureOf(client, { signal: controller.signal }));
      expect([reason, retry.retry]).toEqual(["interrupted", false]);
    });
  });

  it("the AI SDK gives up on an object that never validates", async () => {
    answer = json(200, {
      id: "x",
      object: "chat.completion",
      created: 1,
      model: "m",
      choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: '{"wrong":1}' } }],
      usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
    });
    // oxlint-disable-next-line typescript/no-deprecated -- people use it, and its errors must be read
    const error: unknown = await generateObject({
      model: createOpenAI({ apiKey: "test", baseURL: url }).chat("m"),
      prompt: "hi",
      maxRetries: 0,
      schema: z.object({ right: z.string() }),
    }).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(classifyFailure(error).reason).toBe("validation_giveup");
  });

  it("the AI SDK wraps its tries: the last one decides", async () => {
    answer = openAiError(429, { message: "slow down", type: "requests" }, { "retry-after-ms": "1" });
    const error: unknown = await generateText({
      model: createOpenAI({ apiKey: "test", baseURL: url }).chat("m"),
      prompt: "hi",
      maxRetries: 1,
    }).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect((error as Error).name).toBe("AI_RetryError");
    expect(classifyFailure(error)).toMatchObject({
      reason: "rate_limit",
      retry: { retry: true, afterMs: 1 },
      status: 429,
    });
  });
});

describe("classifyFailure with other values", () => {
  it.each([
    { name: "a thrown text", error: "Key limit exceeded", reason: "rate_limit", retry: false },
    { name: "a thrown text nobody knows", error: "boom", reason: "unknown", retry: false },
    {
      name: "a loop's own limit, as an agents SDK names it",
      error: Object.assign(new Error("Max turns (10) exceeded"), { name: "MaxTurnsExceededError" }),
      reason: "step_limit",
      retry: false,
    },
    {
      name: "a loop's own limit, in words",
      error: new Error("Agent stopped due to max iterations."),
      reason: "step_limit",
      retry: false,
    },
    { name: "undefined", error: undefined, reason: "unknown", retry: false },
    { name: "null", error: null, reason: "unknown", retry: false },
    { name: "a number", error: 42, reason: "unknown", retry: false },
    {
      name: "an OpenRouter body in a 200 answer",
      error: { error: { code: 502, message: "Provider returned error" } },
      reason: "upstream_unhealthy",
      retry: true,
    },
    {
      name: "a 429 in a 200 answer",
      error: { id: "gen", error: { code: 429, message: "slow" } },
      reason: "rate_limit",
      retry: true,
    },
    {
      name: "a body as text",
      error: '500 {"error":{"type":"server_error","message":"x"}}',
      reason: "upstream_unhealthy",
      retry: true,
    },
    {
      name: "a cause five levels down",
      error: new Error("a", {
        cause: new Error("b", {
          cause: new Error("c", {
            cause: new Error("d", { cause: Object.assign(new Error("e"), { code: "ECONNRESET" }) }),
          }),
        }),
      }),
      reason: "connection_error",
      retry: true,
    },
    {
      name: "an aggregate",
      error: new AggregateError([new Error("x"), Object.assign(new Error("y"), { code: "ECONNREFUSED" })]),
      reason: "connection_error",
      retry: true,
    },
    {
      name: "undici: terminated",
      error: new TypeError("terminated", {
        cause: Object.assign(new Error("other side closed"), { code: "UND_ERR_SOCKET" }),
      }),
      reason: "connection_error",
      retry: true,
    },
    {
      name: "a broken pipe",
      error: Object.assign(new Error("write EPIPE"), { code: "EPIPE" }),
      reason: "connection_error",
      retry: true,
    },
    {
      name: "a connect timeout is the network",
      error: { cause: { code: "UND_ERR_CONNECT_TIMEOUT" } },
      reason: "connection_error",
      retry: true,
    },
    {
      name: "a headers timeout is the call",
      error: { code: "UND_ERR_HEADERS_TIMEOUT" },
      reason: "timeout",
      retry: false,
    },
    {
      name: "a truncated body",
      error: new SyntaxError("Unexpected end of JSON input"),
      reason: "connection_error",
      retry: true,
    },
    {
      name: "a syntax error of the user's own",
      error: new SyntaxError("Unexpected token ';'"),
      reason: "unknown",
      retry: false,
    },
    {
      name: "a missing tool call",
      error: new Error("The model did not call the required tool"),
      reason: "function_call_failed",
      retry: false,
    },
    {
      name: "LangChain's output parser",
      error: Object.assign(new Error("bad"), { lc_error_code: "OUTPUT_PARSING_FAILURE" }),
      reason: "validation_giveup",
      retry: false,
    },
    {
      name: "an error that knows its reason",
      error: Object.assign(new Error("x"), { reason: "aborted_stagnation" }),
      reason: "aborted_stagnation",
      retry: false,
    },
    {
      name: "a reason that is none",
      error: Object.assign(new Error("x"), { reason: "because" }),
      reason: "unknown",
      retry: false,
    },
    { name: "a programming error", error: new TypeError("x is not a function"), reason: "unknown", retry: false },
    {
      name: "words that only resemble a rule",
      error: new Error("The rate of change is limited by the timeout handler"),
      reason: "unknown",
      retry: false,
    },
  ])("$name → $reason", ({ error, reason, retry }) => {
    const found = classifyFailure(error);
    expect([found.reason, found.retry.retry]).toEqual([reason, retry]);
  });

  it.each([
    { name: "an AbortError", error: new DOMException("This operation was aborted", "AbortError"), retry: true },
    { name: "an abort inside another error", error: new Error("x", { cause: { name: "AbortError" } }), retry: true },
    { name: "a limit of time, whatever it aborts", error: { name: "TimeoutError" }, retry: false },
    { name: "an error that says it was interrupted", error: { reason: "interrupted" }, retry: false },
    { name: "a programming error", error: new TypeError("x is not a function"), retry: false },
  ])("with retryAborted, $name is tried again: $retry, for the same reason", ({ error, retry }) => {
    const found = classifyFailure(error, { retryAborted: true });
    expect(found.retry.retry).toBe(retry);
    expect(found.reason).toBe(classifyFailure(error).reason);
    expect(classifyFailure(error).retry.retry).toBe(false);
  });

  it("survives cycles, getters that throw and endless causes", () => {
    const cyclic = new Error("a");
    cyclic.cause = cyclic;
    expect(classifyFailure(cyclic).reason).toBe("unknown");
    expect(
      classifyFailure(
        Object.defineProperty({}, "cause", {
          get: () => {
            throw new Error("no");
          },
        }),
      ).reason,
    ).toBe("unknown");
    let deep = new Error("bottom");
    for (let level = 0; level < 10_000; level += 1) deep = new Error("level", { cause: deep });
    expect(classifyFailure(deep).reason).toBe("unknown");
  });
});
