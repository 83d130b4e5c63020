import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterEach, expect, it } from "vitest";
import { serveMcpBridge } from "./mcp-bridge.ts";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

async function talk(
  ...requests: readonly unknown[]
): Promise<{ readonly replies: unknown[]; readonly asked: string[] }> {
  const folder = mkdtempSync(join(tmpdir(), "pk-mcp-"));
  folders.push(folder);
  const config = join(folder, "hooks.json");
  writeFileSync(config, JSON.stringify({ mcp: { token: "secret" } }));
  const lines = requests.map((request) => (typeof request === "string" ? request : JSON.stringify(request)));
  const replies: unknown[] = [];
  const asked: string[] = [];
  await serveMcpBridge({
    input: Readable.from(lines.map((line) => `${line}\n`)),
    send: (line) => replies.push(JSON.parse(line)),
    config,
    ask: (payload) => {
      const text = JSON.stringify(payload);
      asked.push(text);
      return Promise.resolve(text.includes("Stop") ? '{"decision":"block"}' : "");
    },
  });
  return { replies, asked };
}

const call = (given: object) => ({
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: { name: "hook", arguments: given },
});

it("offers one tool, and answers what it does not know with an error", async () => {
  const { replies } = await talk(
    { jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: "2025-11-25" } },
    { jsonrpc: "2.0", method: "notifications/initialized" },
    "not json",
    { jsonrpc: "2.0", id: 2, method: "tools/list" },
    { jsonrpc: "2.0", id: 3, method: "resources/list" },
  );
  expect(replies).toMatchObject([
    { id: 1, result: { protocolVersion: "2025-11-25", capabilities: { tools: {} } } },
    { id: 2, result: { tools: [{ name: "hook" }] } },
    { id: 3, error: { code: -32_601 } },
  ]);
});

it("passes the events of hooks on, without the token", async () => {
  const { replies, asked } = await talk(
    call({ token: "secret", hook_event_name: "PreToolUse" }),
    call({ token: "secret", hook_event_name: "Stop" }),
  );
  expect(asked).toEqual(['{"hook_event_name":"PreToolUse"}', '{"hook_event_name":"Stop"}']);
  expect(replies).toMatchObject([
    { result: { content: [{ text: "{}" }] } },
    { result: { content: [{ text: '{"decision":"block"}' }] } },
  ]);
});

it.each([{}, { token: "guess" }, { token: "" }, { token: null }])("refuses a call of the model: %j", async (given) => {
  const { replies, asked } = await talk(call({ hook_event_name: "Stop", ...given }));
  expect(asked).toEqual([]);
  expect(replies).toMatchObject([{ result: { isError: true } }]);
});
