import { type Script, startOpenAiServer } from "@phasekit/tooling/openai-server";

export interface Connection {
  readonly model: { readonly id: `${string}/${string}`; readonly url?: string; readonly apiKey: string };
  readonly close: () => Promise<void>;
}

/** A real model when there is a key; otherwise a server on this machine that follows a script. */
export async function connect(): Promise<Connection> {
  const { OPENAI_API_KEY: apiKey, OPENAI_MODEL: name = "gpt-5-mini" } = process.env;
  if (apiKey !== undefined) return { model: { id: `openai/${name}`, apiKey }, close: () => Promise.resolve() };
  const server = await startOpenAiServer(script);
  return { model: { id: `scripted/${name}`, url: server.url, apiKey: "offline" }, close: server.close };
}

const edit = { calls: [{ tool: "edit_file", input: { content: "return a + b;" } }] };
const script: Script = [
  edit, // refused: nothing was read yet
  { calls: [{ tool: "read_file", input: {} }] },
  edit,
  { text: "Fixed." }, // sent back: nothing shows it
  { calls: [{ tool: "run_tests", input: {} }] },
  { text: "Fixed, and the tests pass." },
];
