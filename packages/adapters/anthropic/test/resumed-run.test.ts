import type { Anthropic } from "@anthropic-ai/sdk";
import { createRun, definePolicy, nudge, type RunOptions, type RunPort } from "@phasekit/core";
import { storeRun, createMemoryStore, resumeRun } from "@phasekit/ledger";
import { type AnthropicServer, seenAnthropicRequest } from "@phasekit/tooling/anthropic-server";
import type { ScriptedAnswer } from "@phasekit/tooling/openai-server";
import { describe, expect, it } from "vitest";
import { executeTools, sealDanglingToolCalls, toAnthropicTools, withPhases } from "../src/index.ts";
import { connect } from "./anthropic-harness.ts";
import { startServer } from "./server-kit.ts";

const speak = definePolicy({
  name: "speak",
  decide: { "turn.started": ({ turn }) => (turn === 2 ? nudge("Hurry.") : undefined) },
});
const options: RunOptions<"working"> = { policies: [speak] };
const look: ScriptedAnswer = { calls: [{ tool: "look", input: {} }] };
const handlers = { look: () => "seen" };
const tools = toAnthropicTools([
  { name: "look", description: "", inputSchema: {}, execute: () => ({ ok: true, text: "" }) },
]);

interface Loop {
  readonly client: Anthropic;
  readonly history: Anthropic.MessageParam[];
}

/** One request of a loop that keeps its own history. It does not make the calls. */
async function ask({ client, history }: Loop): Promise<Anthropic.Message> {
  const message = await client.messages.create({ model: "m", max_tokens: 9, messages: history, tools });
  history.push({ role: "assistant", content: message.content });
  return message;
}

async function turn(run: RunPort, loop: Loop): Promise<void> {
  const message = await ask(loop);
  loop.history.push({ role: "user", content: await executeTools(run, message, { handlers }) });
}

/** Works until the process dies. The store and the history saved by the host remain. */
async function crash(answers: readonly ScriptedAnswer[], work: (run: RunPort, loop: Loop) => Promise<void>) {
  const server = await startServer(answers);
  const store = createMemoryStore();
  const run = createRun({ id: "run", ...options });
  const stored = storeRun(run, store);
  const history: Anthropic.MessageParam[] = [{ role: "user", content: "go" }];
  await work(run, { client: withPhases(run, connect(server.url)), history });
  await stored.close();
  const { run: resumed } = await resumeRun(store, "run", options);
  const saved = JSON.parse(JSON.stringify(history)) as Anthropic.MessageParam[];
  return { server, run: resumed, loop: { client: withPhases(resumed, connect(server.url)), history: saved } };
}

const seen = (server: AnthropicServer, index: number) => seenAnthropicRequest(server.requests[index]!).messages;
const ours = (server: AnthropicServer) =>
  server.requests.map(
    (request) => seenAnthropicRequest(request).messages.filter(({ text }) => text.startsWith("<phasekit>")).length,
  );
const roles = (server: AnthropicServer, index: number) =>
  seen(server, index)
    .map(({ role, calls = [] }) => role + "(".repeat(calls.length))
    .join(" ");

describe("a run taken up by another process", () => {
  it("keeps its nudge in place: the first request extends the last one before", async () => {
    const { server, run, loop } = await crash([look, look, look, look], async (first, given) => {
      for (let turns = 0; turns < 3; turns += 1) await turn(first, given);
    });
    await turn(run, loop);
    expect(ours(server)).toEqual([0, 1, 1, 1]);
    expect(seen(server, 3).slice(0, seen(server, 2).length)).toEqual(seen(server, 2));
    expect(roles(server, 3)).toBe("user assistant( tool user assistant( tool assistant( tool");
  });

  it("keeps every call with its result if the process died between them", async () => {
    const two = { calls: [...look.calls!, ...look.calls!] };
    const { server, run, loop } = await crash([look, two, look], async (first, given) => {
      await turn(first, given);
      await ask(given);
    });
    await turn(run, { ...loop, history: sealDanglingToolCalls(loop.history) });
    expect(roles(server, 2)).toBe("user assistant( tool user assistant(( tool tool");
    expect(ours(server)).toEqual([0, 1, 1]);
  });

  it("sends a nudge again that the model never answered", async () => {
    const fails = { fails: { status: 503, code: "api_error" } };
    const { server, run, loop } = await crash([look, fails, look], async (first, given) => {
      await turn(first, given);
      await ask(given).catch(() => undefined);
    });
    await turn(run, loop);
    expect(ours(server)).toEqual([0, 1, 1]);
    expect(roles(server, 2)).toBe("user assistant( tool user");
  });
});
