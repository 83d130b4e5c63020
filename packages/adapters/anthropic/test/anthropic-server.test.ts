import { type AnthropicServer, startAnthropicServer } from "@phasekit/tooling/anthropic-server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

/** The scripted server must reject what the real API rejects. */
describe("the scripted server", () => {
  let server: AnthropicServer;
  beforeAll(async () => {
    server = await startAnthropicServer(() => ({ text: "ok" }));
  });
  afterAll(() => server.close());

  const calls = (...ids: readonly string[]) => ({
    role: "assistant",
    content: ids.map((id) => ({ type: "tool_use", id, name: "x", input: {} })),
  });
  const results = (...ids: readonly string[]) =>
    ids.map((id) => ({ type: "tool_result", tool_use_id: id, content: "" }));
  const text = { type: "text", text: "hi" };
  const user = (...content: readonly object[]) => ({ role: "user", content });

  it.each([
    {
      name: "every call answered",
      messages: [user(text), calls("a", "b"), user(...results("b", "a"), text)],
      status: 200,
    },
    { name: "a text before the results", messages: [calls("a"), user(text, ...results("a"))], status: 400 },
    { name: "a call without a result", messages: [calls("a", "b"), user(...results("a"))], status: 400 },
    { name: "two results for one call", messages: [calls("a"), user(...results("a", "a"))], status: 400 },
    { name: "a result for no call", messages: [user(...results("a"))], status: 400 },
    { name: "a call at the end", messages: [user(text), calls("a")], status: 400 },
  ])("$name gives $status", async ({ messages, status }) => {
    const body = JSON.stringify({ messages });
    expect((await fetch(`${server.url}/v1/messages`, { method: "POST", body })).status).toBe(status);
  });
});
