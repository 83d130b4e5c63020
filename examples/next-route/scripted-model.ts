import { createOpenAI } from "@ai-sdk/openai";
import { seenRequest, startOpenAiServer } from "@phasekit/tooling/openai-server";

/** Called when a request waits for an answer that never comes. */
export const waiting = { notify: (): void => undefined };

// A server on this machine. In your app: `const model = openai("gpt-5-mini")`.
const server = await startOpenAiServer((request) => {
  const usage = { input: 50, output: 5 };
  const { messages } = seenRequest(request);
  if (messages.some(({ text }) => text.includes("Take your time"))) return { hangs: () => waiting.notify() };
  if (messages.at(-1)?.role === "tool") return { text: "It is sunny in Paris.", usage };
  return { calls: [{ tool: "weather", input: { city: "Paris" } }], usage };
});

export const model = createOpenAI({ baseURL: server.url, apiKey: "offline" }).chat("gpt-5-mini");
export const close = server.close;
