import { createOpenAI } from "@ai-sdk/openai";
import { startOpenAiServer } from "@phasekit/tooling/openai-server";
import type { LanguageModel } from "ai";

export interface Models {
  readonly small: LanguageModel;
  readonly strong: LanguageModel;
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
    const provider = createOpenAI({ apiKey });
    return {
      small: provider.chat(small),
      strong: provider.chat(strong),
      asked: () => [],
      close: () => Promise.resolve(),
    };
  }
  const edit = { calls: [{ tool: "edit_file", input: { path: "src/sum.js", content: "return a + b;" } }] };
  const server = await startOpenAiServer([
    edit, // refused: it has not looked yet
    { calls: [{ tool: "read_file", input: { path: "src/sum.js" } }] },
    edit,
    { text: "Fixed." }, // sent back: nothing shows it
    { calls: [{ tool: "run_tests", input: {} }] },
    { text: "Fixed, and the tests pass." },
  ]);
  const provider = createOpenAI({ baseURL: server.url, apiKey: "offline" });
  return {
    small: provider.chat(small),
    strong: provider.chat(strong),
    asked: () => server.requests.map(({ body }) => String(body["model"])),
    close: server.close,
  };
}
