// Server-sent events with Express: text and events of a run while it runs, and a client that goes away.
import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createOpenAI } from "@ai-sdk/openai";
import { seenRequest, startOpenAiServer } from "@phasekit/tooling/openai-server";
import { createApp } from "./server.ts";

const client = new AbortController();
const llm = await startOpenAiServer((request) => {
  const prompt = seenRequest(request).messages[0]?.text;
  if (prompt === "Wait.") return { hangs: () => client.abort() };
  if (prompt === "Fail.")
    return { fails: { status: 400, code: "invalid_request_error", message: "The prompt is too odd." } };
  return { text: "Hello from a stream.", usage: { input: 10, output: 4 } };
});
const model = createOpenAI({ baseURL: llm.url, apiKey: "offline" }).chat("gpt-5-mini");

const reasons: string[] = [];
let notify = (): void => undefined;
const app = createApp(model, (reason) => {
  reasons.push(reason);
  notify();
});
const server = app.listen(0, "127.0.0.1");
await once(server, "listening");
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/run`;

/** Reads a stream of server-sent events to its end. */
async function ask(prompt: string, signal?: AbortSignal): Promise<readonly string[]> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ prompt }),
    ...(signal !== undefined && { signal }),
  });
  const blocks = (await response.text()).trim().split("\n\n");
  return blocks.map((block) => block.replace(/^event: (\w+)\ndata: /, "$1 "));
}

const events = await ask("Say hello.");
console.log(events.join("\n"));
const text = events.filter((event) => event.startsWith("text ")).map((event) => JSON.parse(event.slice(5)) as string);
assert.equal(text.join(""), "Hello from a stream.");
assert.ok(events.includes('run "nudge.sent"') && events.includes('run "run.finished"'));

assert.ok((await ask("Fail.")).includes('error "The prompt is too odd."'));

const ended = new Promise<void>((resolve) => {
  notify = resolve;
});
await assert.rejects(ask("Wait.", client.signal));
await ended;

console.log(`runs: ${reasons.join(", ")}`);
assert.deepEqual([reasons.length, reasons[0], reasons[2]], [3, "done", "interrupted"]);
assert.notEqual(reasons[1], "done");
server.close();
await llm.close();
