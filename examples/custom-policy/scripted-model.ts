import { createOpenAI } from "@ai-sdk/openai";
import { startOpenAiServer } from "@phasekit/tooling/openai-server";
import type { LanguageModel } from "ai";

/** A real model when there is a key; otherwise a server on this machine that follows a script. */
export async function connect(): Promise<{ readonly model: LanguageModel; readonly close: () => Promise<void> }> {
  const { OPENAI_API_KEY: apiKey, OPENAI_MODEL: name = "gpt-5-mini" } = process.env;
  if (apiKey !== undefined) return { model: createOpenAI({ apiKey }).chat(name), close: () => Promise.resolve() };
  const server = await startOpenAiServer([
    { calls: [{ tool: "lookup_order", input: { order: "7" } }] },
    { calls: [{ tool: "refund", input: { order: "7", amount: 80 } }] },
    { text: "I have passed your refund of 80 on to a colleague." },
  ]);
  return { model: createOpenAI({ baseURL: server.url, apiKey: "offline" }).chat(name), close: server.close };
}
