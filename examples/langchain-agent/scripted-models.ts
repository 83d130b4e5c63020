import { ChatOpenAI } from "@langchain/openai";
import { type Script, startOpenAiServer } from "@phasekit/tooling/openai-server";

export interface Models {
  readonly small: ChatOpenAI;
  readonly strong: ChatOpenAI;
  /** The models that were asked, in order; only known offline. */
  readonly asked: () => readonly string[];
  readonly close: () => Promise<void>;
}

/** Real models when there is a key; otherwise a server on this machine that follows a script. */
export async function connect(): Promise<Models> {
  const {
    OPENAI_API_KEY: apiKey,
    OPENAI_SMALL_MODEL: small = "gpt-5-nano",
    OPENAI_MODEL: strong = "gpt-5-mini",
  } = process.env;
  if (apiKey !== undefined) {
    return {
      small: new ChatOpenAI({ model: small, apiKey }),
      strong: new ChatOpenAI({ model: strong, apiKey }),
      asked: () => [],
      close: () => Promise.resolve(),
    };
  }
  const server = await startOpenAiServer(script);
  const offline = { apiKey: "offline", configuration: { baseURL: server.url } };
  return {
    small: new ChatOpenAI({ model: small, ...offline }),
    strong: new ChatOpenAI({ model: strong, ...offline }),
    asked: () => server.requests.map(({ body }) => String(body["model"])),
    close: server.close,
  };
}

const edit = { calls: [{ tool: "edit_file", input: { content: "return a + b;" } }] };
const script: Script = [
  edit, // refused: no exploration yet
  { calls: [{ tool: "explore", input: { question: "Where is the bug?" } }] },
  { calls: [{ tool: "read_file", input: {} }] }, // the sub-agent
  { text: "It subtracts." },
  edit,
  { text: "Fixed." }, // sent back: nothing shows it
  { calls: [{ tool: "run_tests", input: {} }] },
  { text: "Fixed, and the tests pass." },
];
