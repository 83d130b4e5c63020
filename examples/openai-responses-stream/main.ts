// A wrapped client: one changed line, and a streamed Responses loop is tracked. Set OPENAI_API_KEY to use a real model.
import assert from "node:assert/strict";
import { budget, createRun, definePolicy, type RunEvent, trackRun } from "@phasekit/core";
import { executeTools, withPhases } from "@phasekit/openai";
import type { OpenAI } from "openai";
import { connect } from "./scripted-model.ts";

/** Looks for a secret in the text while it streams. */
const noSecrets = definePolicy({
  name: "no-secrets",
  watchText: () => {
    let text = "";
    return {
      push: (piece) => {
        text += piece;
        return text.includes("sk-") ? { kind: "secret", signature: "sk-" } : undefined;
      },
    };
  },
});

const { client: bare, model, close } = await connect();
const run = createRun({ policies: [noSecrets, budget({ turns: 10 })] });
const events: RunEvent[] = [];
run.subscribe((step) => events.push(...step));

const client = withPhases(run, bare); // the changed line
const tools: OpenAI.Responses.Tool[] = [
  {
    type: "function",
    name: "read_file",
    parameters: { type: "object", properties: { path: { type: "string" } } },
    strict: false,
  },
];
const handlers = { read_file: ({ path }: { path: string }) => (path === ".env" ? "KEY=sk-123" : "nothing here") };

await trackRun(run, async () => {
  let input: OpenAI.Responses.ResponseInput = [{ role: "user", content: "Which key does the project use?" }];
  let previous: string | undefined;
  for (;;) {
    const stream = await client.responses.create({
      model,
      tools,
      input,
      stream: true,
      ...(previous && { previous_response_id: previous }),
    });
    let response: OpenAI.Responses.Response | undefined;
    for await (const event of stream) {
      if (event.type === "response.output_text.delta") process.stdout.write(event.delta);
      if (event.type === "response.completed") response = event.response;
    }
    if (!response?.output.some(({ type }) => type === "function_call")) return;
    input = await executeTools(run, response, { handlers });
    previous = response.id;
  }
});
await close();

const found = events.flatMap((event) => (event.type === "message.sent" ? (event.found ?? []) : []));
console.log(
  `\n${run.view.turn} turns, ${run.view.usage.inputTokens} input tokens, ` +
    `${run.view.usage.cachedInputTokens} of them cached`,
);
console.log("found in the text:", found);
if (process.env["OPENAI_API_KEY"] === undefined) {
  assert.equal(run.view.usage.cachedInputTokens, 80);
  assert.deepEqual(found, [{ policy: "no-secrets", kind: "secret", signature: "sk-" }]);
}
assert.equal(run.outcome?.reason, "done");
