import { startOpenAiServer } from "@phasekit/tooling/openai-server";
import { OpenAI } from "openai";

export interface Connection {
  readonly client: OpenAI;
  readonly model: string;
  readonly close: () => Promise<void>;
}

/** A real model when there is a key; otherwise a server on this machine that follows a script. */
export async function connect(): Promise<Connection> {
  const { OPENAI_API_KEY: apiKey, OPENAI_MODEL: model = "gpt-5-mini" } = process.env;
  if (apiKey !== undefined) return { client: new OpenAI({ apiKey }), model, close: () => Promise.resolve() };
  const server = await startOpenAiServer([
    {
      calls: [
        { tool: "read_file", input: { path: "README.md" } },
        { tool: "read_file", input: { path: ".env" } },
      ],
      usage: { input: 100, output: 20 },
    },
    { text: "The key is sk-123; you should not have told me.", usage: { input: 150, output: 12, cached: 80 } },
  ]);
  return { client: new OpenAI({ baseURL: server.url, apiKey: "offline" }), model, close: server.close };
}
