// A route handler of Next.js behind `useChat()`, read with the transport and the parser of the AI SDK's own hook.
import assert from "node:assert/strict";
import { DefaultChatTransport, readUIMessageStream, type UIMessage } from "ai";
import { runs } from "./agent.ts";
import { POST } from "./app/api/chat/route.ts";
import { close, waiting } from "./scripted-model.ts";

// `useChat({ transport })` sends its messages with this transport; here it calls the handler instead of a server.
const transport = new DefaultChatTransport({
  api: "http://localhost/api/chat",
  fetch: (url, init) => POST(new Request(url, init)),
});

async function send(text: string, abortSignal?: AbortSignal): Promise<UIMessage | undefined> {
  const stream = await transport.sendMessages({
    trigger: "submit-message",
    chatId: "chat-1",
    messageId: undefined,
    messages: [{ id: "1", role: "user", parts: [{ type: "text", text }] }],
    abortSignal,
  });
  let last: UIMessage | undefined;
  for await (const message of readUIMessageStream({ stream })) last = message;
  return last;
}

const message = await send("How is the weather in Paris?");
console.log(message?.parts.map((part) => (part.type === "text" ? part.text : part.type)).join(" | "));
assert.ok(message?.parts.some((part) => part.type === "text" && part.text === "It is sunny in Paris."));
assert.deepEqual(
  runs.map(({ outcome, view }) => [outcome?.reason, view.turn, view.toolCalls, view.usage.inputTokens]),
  [["done", 2, 1, 100]],
);

// The user presses "stop", or closes the tab: the request is aborted, and so is the run.
const controller = new AbortController();
waiting.notify = () => controller.abort();
await send("Take your time.", controller.signal).catch(() => undefined);
assert.deepEqual(
  runs.map(({ outcome }) => outcome?.reason),
  ["done", "interrupted"],
);
console.log(`runs: ${runs.map(({ outcome }) => String(outcome?.reason)).join(", ")}`);
await close();
