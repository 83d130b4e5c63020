import { type ScriptedAnswer, seenRequest, startOpenAiServer } from "@phasekit/tooling/openai-server";
import { OpenAI } from "openai";

export interface Connection {
  readonly client: OpenAI;
  readonly model: string;
  readonly close: () => Promise<void>;
}

/** A real model when there is a key; otherwise a server on this machine that follows a script and needs telling. */
export async function connect(): Promise<Connection> {
  const { OPENAI_API_KEY: apiKey, OPENAI_MODEL: model = "gpt-5-mini" } = process.env;
  if (apiKey !== undefined) return { client: new OpenAI({ apiKey }), model, close: () => Promise.resolve() };
  let edited = false;
  const server = await startOpenAiServer((request, index): ScriptedAnswer => {
    const usage = { input: 200 + index * 50, output: 20 };
    const said =
      seenRequest(request)
        .messages.filter(({ role }) => role === "user")
        .at(-1)?.text ?? "";
    if (said.includes("Run the tests"))
      return seenRequest(request).messages.at(-1)?.role === "tool"
        ? { text: "Fixed, and the tests pass.", usage }
        : { calls: [{ tool: "run_tests", input: {} }], usage };
    if (edited) return { text: "Fixed.", usage };
    if (!said.includes("Change the code"))
      return {
        calls: [{ tool: "read_file", input: { path: ["README.md", "src/sum.js", "test/sum.test.js"][index % 3] } }],
        usage,
      };
    edited = true;
    return { calls: [{ tool: "edit_file", input: { path: "src/sum.js", content: "return a + b;" } }], usage };
  });
  return { client: new OpenAI({ baseURL: server.url, apiKey: "offline" }), model, close: server.close };
}
