import { budget, createRun, type RunEvent, type RunPort, trackRun } from "@phasekit/core";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { executeTools, recordResponse, withPhases } from "../src/index.ts";
import { majors } from "./majors.ts";

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** A compatible server that sends the given bodies: strings as they are, anything else as JSON. */
async function serve(bodies: readonly unknown[]): Promise<string> {
  const left = [...bodies];
  const server = createServer((_request, response) => {
    const body = left.shift();
    const isText = typeof body === "string";
    response.writeHead(200, {
      "content-type": isText ? (body.startsWith("data:") ? "text/event-stream" : "text/html") : "application/json",
    });
    response.end(isText ? body : JSON.stringify(body));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

function eventsOf(run: Pick<RunPort, "subscribe">): readonly RunEvent[] {
  const events: RunEvent[] = [];
  run.subscribe((step) => events.push(...step));
  return events;
}

const called = (...calls: readonly (readonly [id: string | undefined, input: object])[]) => ({
  choices: [
    {
      message: {
        role: "assistant",
        content: null,
        tool_calls: calls.map(([id, input]) => ({
          id,
          type: "function",
          function: { name: "look", arguments: JSON.stringify(input) },
        })),
      },
      finish_reason: "tool_calls",
    },
  ],
});
const said = { choices: [{ message: { role: "assistant", content: "Done." }, finish_reason: "stop" }] };
const hello = { model: "m", messages: [{ role: "user" as const, content: "hello" }] };
const results = (events: readonly RunEvent[]) => events.filter(({ type }) => type === "tool.finished");

describe.each(majors)("openai $version with an odd server", ({ connect }) => {
  it.each([
    { what: "gives calls no ids", ids: [undefined, ""] },
    { what: "gives two calls one id", ids: ["c", "c"] },
  ])("each call gets its own result from a server that $what", async ({ ids: [first, second] }) => {
    const run = createRun();
    const events = eventsOf(run);
    const client = withPhases(run, connect(await serve([called([first, { page: 1 }], [second, { page: 2 }])])));
    const completion = await client.chat.completions.create(hello);
    const sent = await executeTools(run, completion, {
      handlers: { look: ({ page }: { page: number }) => `page ${page}` },
    });
    expect(sent.map(({ tool_call_id, content }) => [tool_call_id, content])).toEqual([
      [first ?? "", "page 1"],
      [second ?? "", "page 2"],
    ]);
    expect(results(events)).toMatchObject([{ output: "page 1" }, { output: "page 2" }]);
    expect([run.view.toolCalls, run.view.pending.size]).toEqual([2, 0]);
    expect(events.filter(({ type }) => type === "event.rejected")).toEqual([]);
  });

  it("no answer is lost if the server gives every answer the same id", async () => {
    const run = createRun();
    const usage = { prompt_tokens: 5, completion_tokens: 1 };
    const client = withPhases(
      run,
      connect(
        await serve([
          { id: "x", usage, ...called(["c1", {}]) },
          { id: "x", usage, ...said },
        ]),
      ),
    );
    const completion = await client.chat.completions.create(hello);
    recordResponse(run, { ...completion });
    await executeTools(run, { ...completion }, { handlers: { look: () => "seen" } });
    await client.chat.completions.create(hello);
    expect([run.view.usage.modelCalls, run.view.usage.inputTokens]).toEqual([2, 10]);
  });

  it.each([
    {
      what: "puts a provider error into a choice",
      body: {
        choices: [
          {
            message: { role: "assistant", content: "" },
            finish_reason: "error",
            error: { code: 502, message: "The provider went away." },
          },
        ],
      },
      failure: { code: "502", message: "The provider went away." },
    },
    {
      what: "answers with the HTML page of a proxy",
      body: "<html>Sign in</html>",
      failure: { message: "The answer is not a JSON object." },
    },
  ])("the call fails if the server $what", async ({ body, failure }) => {
    const run = createRun();
    const events = eventsOf(run);
    await withPhases(run, connect(await serve([body]))).chat.completions.create(hello);
    expect(events.slice(3)).toMatchObject([{ type: "model.failed", inBody: true, ...failure }]);
  });

  it("parts of calls are assembled if the server streams them without an index", async () => {
    const chunk = (delta: object, finish_reason: string | null = null) =>
      `data: ${JSON.stringify({ id: "s", choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
    const part = (text: string, more: object = {}) =>
      chunk({ tool_calls: [{ ...more, function: { ...(more as { name?: object }).name, arguments: text } }] });
    const body = [
      part('{"page":', { id: "c1", name: { name: "look" } }),
      part("1}"),
      part('{"page":2}', { id: "c2", name: { name: "look" } }),
      chunk({}, "tool_calls"),
      "data: [DONE]\n\n",
    ].join("");
    const run = createRun();
    const events = eventsOf(run);
    for await (const _chunk of await withPhases(run, connect(await serve([body]))).chat.completions.create({
      ...hello,
      stream: true,
    }))
      continue;
    expect(events.filter(({ type }) => type === "tool.requested")).toMatchObject([
      { call: "c1", input: { page: 1 } },
      { call: "c2", input: { page: 2 } },
    ]);
  });

  it("tool calls in the closing turn are neither made nor recorded as made", async () => {
    const run = createRun({ policies: [budget({ turns: 1 })] });
    const events = eventsOf(run);
    const client = withPhases(run, connect(await serve([called(["c1", {}]), called(["c2", {}]), said])));
    const messages: object[] = [...hello.messages];
    const loop = trackRun(run, async () => {
      for (;;) {
        const completion = await client.chat.completions.create({ model: "m", messages: messages as never });
        const { message } = completion.choices[0]!;
        messages.push(message, ...(await executeTools(run, completion, { handlers: { look: () => "seen" } })));
      }
    });
    await expect(loop).rejects.toMatchObject({ code: "RUN_STOPPED" });
    expect(results(events)).toMatchObject([{ call: "c1" }]);
  });

  it("a background response is recorded once it is complete", async () => {
    const run = createRun();
    const events = eventsOf(run);
    const response = { id: "r", object: "response", output: [] };
    const done = {
      ...response,
      status: "completed",
      output: [{ type: "message", content: [{ type: "output_text", text: "Done." }] }],
    };
    const client = withPhases(run, connect(await serve([{ ...response, status: "queued" }, done])));
    const { id } = await client.responses.create({ model: "m", input: "hello", background: true });
    expect(events.at(-1)).toMatchObject({ type: "turn.started" });
    recordResponse(run, await client.responses.retrieve(id));
    expect(events.slice(-2)).toMatchObject([
      { type: "model.answered", finishReason: "stop" },
      { type: "message.sent", length: 5 },
    ]);
  });
});

describe("executeTools", () => {
  const circle: { self?: unknown } = {};
  circle.self = circle;

  it.each([
    { what: "a circle", output: circle, content: /^Error: .*circular/s, outcome: "error" },
    { what: "a BigInt", output: 1n, content: /^Error: .*BigInt/, outcome: "error" },
    {
      what: "an error, not thrown",
      output: new Error("No such page."),
      content: /^Error: No such page\.$/,
      outcome: "error",
    },
    { what: "a function", output: () => 1, content: /^$/, outcome: "ok" },
    { what: "nothing", output: undefined, content: /^$/, outcome: "ok" },
  ])("gives the model and the log the same result for $what", async ({ output, content, outcome }) => {
    const run = createRun();
    const events = eventsOf(run);
    const [result] = await executeTools(run, called(["c1", {}]), { handlers: { look: () => output } });
    expect(result?.content).toMatch(content);
    expect(results(events)).toMatchObject([{ outcome }]);
    expect(events.filter(({ type }) => type === "event.rejected")).toEqual([]);
  });

  it("makes no call if `approve` throws, and rethrows the error", async () => {
    const run = createRun();
    const events = eventsOf(run);
    const approve = () => Promise.reject(new Error("The window was closed."));
    const made: string[] = [];
    await expect(
      executeTools(run, called(["c1", {}]), { handlers: { look: () => made.push("call") }, approve }),
    ).rejects.toThrow("The window was closed.");
    expect(made).toEqual([]);
    expect(results(events)).toMatchObject([{ outcome: "denied", output: "The window was closed." }]);
  });
});
