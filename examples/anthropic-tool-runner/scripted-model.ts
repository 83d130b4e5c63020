import { Anthropic } from "@anthropic-ai/sdk";
import { seenAnthropicRequest, startAnthropicServer } from "@phasekit/tooling/anthropic-server";

export interface Connection {
  readonly client: Anthropic;
  readonly model: string;
  readonly close: () => Promise<void>;
}

/** A real model when there is a key; otherwise a server on this machine that follows a script and needs nudges. */
export async function connect(): Promise<Connection> {
  const { ANTHROPIC_API_KEY: apiKey, ANTHROPIC_MODEL: model = "claude-sonnet-5-5" } = process.env;
  if (apiKey !== undefined) return { client: new Anthropic({ apiKey }), model, close: () => Promise.resolve() };
  let edited = false;
  const server = await startAnthropicServer((request, index) => {
    const usage = { input: 200 + index * 50, output: 20, cached: 150 };
    const { messages } = seenAnthropicRequest(request);
    const said = messages.filter(({ role }) => role === "user").at(-1)?.text ?? "";
    if (said.includes("Run the tests"))
      return messages.at(-1)?.role === "tool"
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
  return { client: new Anthropic({ baseURL: server.url, apiKey: "offline" }), model, close: server.close };
}
