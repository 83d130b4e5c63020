import { type OpenAiServer, startOpenAiServer } from "@phasekit/tooling/openai-server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

/** The scripted server must reject what a real API rejects. */
describe("the scripted server", () => {
  let server: OpenAiServer;
  beforeAll(async () => {
    server = await startOpenAiServer(() => ({ text: "ok" }));
  });
  afterAll(() => server.close());

  const post = async (path: string, body: object): Promise<number> =>
    (await fetch(`${server.url}/${path}`, { method: "POST", body: JSON.stringify(body) })).status;
  const calls = (...ids: readonly string[]) => ({ role: "assistant", tool_calls: ids.map((id) => ({ id })) });
  const result = (id: string) => ({ role: "tool", tool_call_id: id, content: "" });
  const user = { role: "user", content: "hi" };

  it.each([
    { name: "every call answered", messages: [user, calls("a", "b"), result("b"), result("a"), user], status: 200 },
    { name: "a message between a call and its result", messages: [calls("a"), user, result("a")], status: 400 },
    { name: "a call without a result", messages: [calls("a", "b"), result("a")], status: 400 },
    { name: "two results for one call", messages: [calls("a"), result("a"), result("a")], status: 400 },
    { name: "a result for no call", messages: [user, result("a")], status: 400 },
  ])("chat: $name gives $status", async ({ messages, status }) => {
    expect(await post("chat/completions", { messages })).toBe(status);
  });

  const functionCall = (id: string) => ({ type: "function_call", call_id: id, name: "x", arguments: "{}" });
  const output = (id: string) => ({ type: "function_call_output", call_id: id, output: "" });

  it.each([
    {
      name: "every call answered",
      input: [user, functionCall("a"), functionCall("b"), output("a"), output("b"), user],
      status: 200,
    },
    { name: "a message between a call and its result", input: [functionCall("a"), user, output("a")], status: 400 },
    { name: "a call without a result", input: [functionCall("a")], status: 400 },
    { name: "a result for no call", input: [output("a")], status: 400 },
  ])("responses: $name gives $status", async ({ input, status }) => {
    expect(await post("responses", { input })).toBe(status);
  });
});
