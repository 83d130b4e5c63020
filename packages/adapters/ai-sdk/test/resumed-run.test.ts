import { createRun, definePolicy, nudge, type RunOptions, type RunPort } from "@phasekit/core";
import { storeRun, createMemoryStore, resumeRun } from "@phasekit/ledger";
import {
  type OpenAiServer,
  type ScriptedAnswer,
  seenRequest,
  startOpenAiServer,
} from "@phasekit/tooling/openai-server";
import type { ModelMessage } from "ai";
import { afterEach, describe, expect, it } from "vitest";
import { sealDanglingToolCalls, withPhases } from "../src/index.ts";
import { majors } from "./majors.ts";

const servers: OpenAiServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) {
    await server.close();
    expect(server.complaints).toEqual([]);
  }
});

const speak = definePolicy({
  name: "speak",
  decide: { "turn.started": ({ turn }) => (turn === 2 ? nudge("Hurry.") : undefined) },
});
const options: RunOptions<"working"> = { policies: [speak] };
const look: ScriptedAnswer = { calls: [{ tool: "look", input: {} }] };

describe.each(majors)("a run resumed by another process, ai $version", ({ sdk, connect }) => {
  /** Runs some steps of an agent and returns the messages a host would save. */
  async function steps(
    run: RunPort,
    {
      url,
      messages,
      count,
    }: { readonly url: string; readonly messages: readonly ModelMessage[]; readonly count: number },
  ): Promise<ModelMessage[]> {
    const tools = {
      look: sdk.dynamicTool({ inputSchema: sdk.jsonSchema({ type: "object", properties: {} }), execute: () => "seen" }),
    };
    const result = await sdk.generateText(
      withPhases(run, {
        model: connect(url)("m"),
        tools,
        messages: [...messages],
        stopWhen: sdk.stepCountIs(count),
        maxRetries: 0,
      }),
    );
    // Version 7 has the messages of all steps next to the response; the others have them in it.
    const { responseMessages, response } = result as unknown as {
      readonly responseMessages?: ModelMessage[];
      readonly response: { readonly messages: ModelMessage[] };
    };
    return [...messages, ...(responseMessages ?? response.messages)];
  }

  async function crash(
    answers: readonly ScriptedAnswer[],
    work: (run: RunPort, url: string) => Promise<ModelMessage[]>,
  ) {
    const server = await startOpenAiServer(answers);
    servers.push(server);
    const store = createMemoryStore();
    const run = createRun({ id: "run", ...options });
    const stored = storeRun(run, store);
    const saved = JSON.parse(JSON.stringify(await work(run, server.url))) as ModelMessage[];
    await stored.close();
    const { run: resumed } = await resumeRun(store, "run", options);
    return { server, run: resumed, saved };
  }
  const go: readonly ModelMessage[] = [{ role: "user", content: "go" }];
  const seen = (server: OpenAiServer, index: number) => seenRequest(server.requests[index]!).messages;
  const ours = (server: OpenAiServer) =>
    server.requests.map(
      (request) => seenRequest(request).messages.filter(({ text }) => text.startsWith("<phasekit>")).length,
    );

  it("keeps its nudge in place: the first request extends the last one before", async () => {
    const { server, run, saved } = await crash([look, look, look, { text: "Done." }], (first, url) =>
      steps(first, { url, messages: go, count: 3 }),
    );
    await steps(run, { url: server.url, messages: saved, count: 3 });
    expect(ours(server)).toEqual([0, 1, 1, 1]);
    expect(seen(server, 3).slice(0, seen(server, 2).length)).toEqual(seen(server, 2));
    expect(
      seen(server, 3)
        .map(({ role }) => role)
        .join(" "),
    ).toBe("user assistant tool user assistant tool assistant tool");
  });

  it("keeps every call with its result if the process died between them", async () => {
    const { server, run, saved } = await crash(
      [
        look,
        {
          calls: [
            { tool: "look", input: {} },
            { tool: "look", input: {} },
          ],
        },
        { text: "Done." },
      ],
      async (first, url) => (await steps(first, { url, messages: go, count: 2 })).slice(0, -1),
    );
    await steps(run, { url: server.url, messages: sealDanglingToolCalls(saved), count: 3 });
    expect(
      seen(server, 2)
        .map(({ role, calls = [] }) => role + "(".repeat(calls.length))
        .join(" "),
    ).toBe("user assistant( tool user assistant(( tool tool");
    expect(ours(server)).toEqual([0, 1, 1]);
  });

  it("sends a nudge again that the model never answered", async () => {
    const { server, run, saved } = await crash(
      [look, { fails: { status: 503, code: "server_error" } }, { text: "Done." }],
      async (first, url) => {
        const messages = await steps(first, { url, messages: go, count: 1 });
        await steps(first, { url, messages, count: 1 }).catch(() => undefined);
        return messages;
      },
    );
    await steps(run, { url: server.url, messages: saved, count: 3 });
    expect(ours(server)).toEqual([0, 1, 1]);
    expect(
      seen(server, 2)
        .map(({ role }) => role)
        .join(" "),
    ).toBe("user assistant tool user");
  });
});
