import { type ModelProvider, OpenAIProvider } from "@openai/agents";
import { type Script, startOpenAiServer } from "@phasekit/tooling/openai-server";

export interface Connection {
  readonly modelProvider: ModelProvider;
  readonly model: string;
  readonly close: () => Promise<void>;
}

/** A real model when there is a key; otherwise a server on this machine that follows a script. */
export async function connect(): Promise<Connection> {
  const { OPENAI_API_KEY: apiKey, OPENAI_MODEL: model = "gpt-5-mini" } = process.env;
  if (apiKey !== undefined)
    return { modelProvider: new OpenAIProvider({ apiKey }), model, close: () => Promise.resolve() };
  const server = await startOpenAiServer(script);
  const modelProvider = new OpenAIProvider({ apiKey: "offline", baseURL: server.url });
  return { modelProvider, model, close: server.close };
}

const edit = { calls: [{ tool: "edit_file", input: { content: "return a + b;" } }] };
const script: Script = [
  { calls: [{ tool: "transfer_to_Fixer", input: {} }] },
  edit, // refused: nothing was read yet
  { calls: [{ tool: "read_file", input: {} }] },
  edit,
  { text: "Fixed." }, // sent back: nothing shows it
  { calls: [{ tool: "run_tests", input: {} }] },
  { text: "Fixed, and the tests pass." },
];
