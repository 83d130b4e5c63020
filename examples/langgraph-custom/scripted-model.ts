import { ChatOpenAI } from "@langchain/openai";
import { startOpenAiServer } from "@phasekit/tooling/openai-server";

export interface Connection {
  readonly model: ChatOpenAI;
  readonly close: () => Promise<void>;
}

/** A real model when there is a key; otherwise a server on this machine that follows a script. */
export async function connect(): Promise<Connection> {
  const { OPENAI_API_KEY: apiKey, OPENAI_MODEL: model = "gpt-5-mini" } = process.env;
  if (apiKey !== undefined) return { model: new ChatOpenAI({ model, apiKey }), close: () => Promise.resolve() };
  const search = (query: string) => ({ calls: [{ tool: "search", input: { query } }] });
  const server = await startOpenAiServer([
    { calls: [{ tool: "publish", input: { text: "Otters are fish." } }] }, // refused: nothing was looked up
    search("otters"),
    search("otter habitats"),
    search("otter diets"), // gets a nudge to write
    { calls: [{ tool: "publish", input: { text: "Otters are mammals." } }] },
    { text: "Published." },
  ]);
  return {
    model: new ChatOpenAI({ model, apiKey: "offline", configuration: { baseURL: server.url } }),
    close: server.close,
  };
}
