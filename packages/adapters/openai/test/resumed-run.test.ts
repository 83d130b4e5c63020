import { createRun, definePolicy, nudge, type RunOptions, type RunPort } from "@phasekit/core";
import { storeRun, createMemoryStore, resumeRun } from "@phasekit/ledger";
import {
  type OpenAiServer,
  type ScriptedAnswer,
  seenRequest,
  startOpenAiServer,
} from "@phasekit/tooling/openai-server";
import { afterEach, describe, expect, it } from "vitest";
import { executeTools, sealDanglingToolCalls, withPhases } from "../src/index.ts";
import { type Client, majors } from "./majors.ts";

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

/** One request of a loop that keeps its own history. It does not make the calls. */
async function ask(client: Client, api: "chat" | "responses", history: object[]): Promise<object> {
  const parameters = { type: "object", properties: {} };
  if (api === "chat") {
    const completion = await client.chat.completions.create({
      model: "m",
      messages: history as never,
      tools: [{ type: "function", function: { name: "look", parameters } }],
    });
    history.push(completion.choices[0]!.message);
    return completion;
  }
  const response = await client.responses.create({
    model: "m",
    input: history as never,
    tools: [{ type: "function", name: "look", parameters, strict: false }],
  });
  history.push(...response.output);
  return response;
}

async function turn(
  run: RunPort,
  { client, api, history }: { readonly client: Client; readonly api: "chat" | "responses"; readonly history: object[] },
): Promise<void> {
  const answer = await ask(client, api, history);
  history.push(...(await executeTools(run, answer, { handlers: { look: () => "seen" } })));
}

describe.each(
  majors.flatMap((major) => [
    { ...major, api: "chat" as const },
    { ...major, api: "responses" as const },
  ]),
)("a run taken up by another process, openai $version, $api", ({ connect, api }) => {
  /** Works until the process dies. The store and the history saved by the host remain. */
  async function crash(
    answers: readonly ScriptedAnswer[],
    work: (
      run: RunPort,
      loop: { readonly client: Client; readonly api: "chat" | "responses"; readonly history: object[] },
    ) => Promise<void>,
  ) {
    const server = await startOpenAiServer(answers);
    servers.push(server);
    const store = createMemoryStore();
    const run = createRun({ id: "run", ...options });
    const stored = storeRun(run, store);
    const history: object[] = [{ role: "user", content: "go" }];
    await work(run, { client: withPhases(run, connect(server.url)), api, history });
    await stored.close();
    const { run: resumed } = await resumeRun(store, "run", options);
    const saved = JSON.parse(JSON.stringify(history)) as object[];
    return { server, run: resumed, loop: { client: withPhases(resumed, connect(server.url)), api, history: saved } };
  }
  const seen = (server: OpenAiServer, index: number) => seenRequest(server.requests[index]!).messages;
  const ours = (server: OpenAiServer) =>
    server.requests.map(
      (request) => seenRequest(request).messages.filter(({ text }) => text.startsWith("<phasekit>")).length,
    );

  it("keeps its nudge in place: the first request extends the last one before", async () => {
    const { server, run, loop } = await crash([look, look, look, look], async (first, given) => {
      for (let turns = 0; turns < 3; turns += 1) await turn(first, given);
    });
    await turn(run, loop);
    expect(ours(server)).toEqual([0, 1, 1, 1]);
    expect(seen(server, 3).slice(0, seen(server, 2).length)).toEqual(seen(server, 2));
    expect(
      seen(server, 3)
        .map(({ role }) => role)
        .join(" "),
    ).toBe("user assistant tool user assistant tool assistant tool");
  });

  it("sends the nudge once if the host saved it", async () => {
    const { server, run, loop } = await crash([look, look, look, look], async (first, given) => {
      for (let turns = 0; turns < 3; turns += 1) await turn(first, given);
      given.history.splice(3, 0, { role: "user", content: "<phasekit>\nHurry.\n</phasekit>" });
    });
    await turn(run, loop);
    expect(ours(server)).toEqual([0, 1, 1, 1]);
    expect(seen(server, 3).slice(0, seen(server, 2).length)).toEqual(seen(server, 2));
  });

  it("keeps every call with its result if the process died between them", async () => {
    const { server, run, loop } = await crash(
      [
        look,
        {
          calls: [
            { tool: "look", input: {} },
            { tool: "look", input: {} },
          ],
        },
        look,
      ],
      async (first, given) => {
        await turn(first, given);
        await ask(given.client, api, given.history);
      },
    );
    await turn(run, { ...loop, history: sealDanglingToolCalls(loop.history) });
    expect(
      seen(server, 2)
        .map(({ role, calls = [] }) => role + "(".repeat(calls.length))
        .join(" "),
    ).toBe("user assistant( tool user assistant(( tool tool");
    expect(ours(server)).toEqual([0, 1, 1]);
  });

  it("sends a nudge again that the model never answered", async () => {
    const { server, run, loop } = await crash(
      [look, { fails: { status: 503, code: "server_error" } }, look],
      async (first, given) => {
        await turn(first, given);
        await ask(given.client, api, given.history).catch(() => undefined);
      },
    );
    await turn(run, loop);
    expect(ours(server)).toEqual([0, 1, 1]);
    expect(
      seen(server, 2)
        .map(({ role }) => role)
        .join(" "),
    ).toBe("user assistant tool user");
  });
});
