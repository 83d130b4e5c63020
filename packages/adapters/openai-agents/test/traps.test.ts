import {
  budget,
  createRun,
  definePolicy,
  nudge,
  refuse,
  type RunEvent,
  type RunPort,
  trackRun,
  veto,
} from "@phasekit/core";
import { type OpenAiServer, seenRequest, startOpenAiServer } from "@phasekit/tooling/openai-server";
import { afterEach, describe, expect, it } from "vitest";
import { runUntilVerified, toAgentTools, withPhases } from "../src/index.ts";
import { type Version, versions } from "./versions.ts";

type Script = Parameters<typeof startOpenAiServer>[0];

let server: OpenAiServer | undefined;
afterEach(async () => {
  const complaints = server?.complaints ?? [];
  await server?.close();
  server = undefined;
  expect(complaints).toEqual([]);
});

const look = { calls: [{ tool: "look", input: { path: "a.ts" } }] };
const done = { text: "Done." };

function eventsOf(run: Pick<RunPort, "subscribe">): RunEvent[] {
  const events: RunEvent[] = [];
  run.subscribe((step) => void events.push(...step));
  return events;
}

function ofType<TType extends RunEvent["type"]>(events: readonly RunEvent[], type: TType) {
  return events.filter((event): event is Extract<RunEvent, { type: TType }> => event.type === type);
}

async function setUp({ sdk, connect }: Version, answers: Script) {
  server = await startOpenAiServer(answers);
  const made: string[] = [];
  const lookTool = sdk.tool({
    name: "look",
    description: "Reads a file.",
    parameters: { type: "object", properties: {}, required: [], additionalProperties: true },
    strict: false,
    execute: (input: unknown) => {
      made.push(JSON.stringify(input));
      return "the text";
    },
  });
  const runner = new sdk.Runner({ modelProvider: connect(server.url, "responses") });
  const agent = new sdk.Agent({ name: "Worker", model: "m", tools: [lookTool] });
  return { sdk, runner, agent, lookTool, made, requests: () => (server?.requests ?? []).map(seenRequest) };
}

const noLooking = definePolicy({
  name: "no-looking",
  decide: { "tool.requested": (_run, _state, { tool }) => (tool === "look" ? refuse("Do not look.") : undefined) },
});
const neverDone = definePolicy({ name: "never-done", decide: { "finish.requested": () => veto("Look first.") } });

describe.each(versions)("@openai/agents $version", (version) => {
  it("leaves agents and tools as they are: another run of them is not watched", async () => {
    const { runner, agent, lookTool, made } = await setUp(version, [look, done, look, done]);
    const keys = Object.keys(agent);
    const run = createRun({ mode: "gate", policies: [noLooking] });
    await trackRun(run, () => withPhases(run, runner).run(agent, "Fix it."));
    expect(made).toEqual([]);
    expect([agent.tools, lookTool.inputGuardrails, agent.model, Object.keys(agent)]).toEqual([
      [lookTool],
      [],
      "m",
      keys,
    ]);
    await runner.run(agent, "Fix it.");
    expect(made).toHaveLength(1);
    expect(run.view.turn).toBe(2);
  });

  it("names the agents of a hand-off, guards their tools, and gives listeners the caller's agents", async () => {
    const { sdk, runner, agent, made } = await setUp(version, [
      { calls: [{ tool: "transfer_to_Worker", input: {} }] },
      look,
      done,
    ]);
    const triage = sdk.Agent.create({ name: "Triage", model: "m", handoffs: [agent] });
    const seen: unknown[] = [];
    runner.on("agent_start", (_context, started) => void seen.push(started));
    const run = createRun({ mode: "gate", policies: [noLooking] });
    const events = eventsOf(run);
    const result = await trackRun(run, () => withPhases(run, runner).run(triage, "Fix it."));
    expect([result.finalOutput, result.lastAgent?.name]).toEqual(["Done.", "Worker"]);
    expect(seen).toEqual([triage, agent]);
    expect(seen[1]).toBe(agent);
    expect(made).toEqual([]);
    expect(ofType(events, "turn.started").map((event) => event.agent)).toEqual([undefined, "Worker", "Worker"]);
    expect(ofType(events, "event.recorded").map(({ name, data }) => [name, data])).toEqual([
      ["agent.changed", { from: "Triage", to: "Worker" }],
    ]);
    expect(ofType(events, "tool.finished").map(({ tool, outcome }) => [tool, outcome])).toEqual([
      ["transfer_to_Worker", "ok"],
    ]);
  });

  it("watches a model that the agent holds itself, in this run only, and keeps the caller's context", async () => {
    const { sdk, runner } = await setUp(version, [look, done, done]);
    const provider = version.connect(server!.url, "responses");
    const seen: unknown[] = [];
    const agent = new sdk.Agent({
      name: "Worker",
      model: await provider.getModel("own"),
      tools: [
        sdk.tool({
          name: "look",
          description: "Reads.",
          parameters: { type: "object", properties: {}, required: [], additionalProperties: true },
          strict: false,
          execute: (_input: unknown, context: unknown) => {
            seen.push((context as { context: unknown }).context);
            return "the text";
          },
        }),
      ],
    });
    const context = { user: "ann" };
    const run = createRun();
    await trackRun(run, () => withPhases(run, runner).run(agent, "Fix it.", { context } as never));
    expect([run.view.turn, run.view.toolCalls, seen[0] === context]).toEqual([2, 1, true]);
    expect((await runner.run(agent, "Again.")).finalOutput).toBe("Done.");
    expect(run.view.turn).toBe(2);
  });

  it("does not count the turns of an agent used as a tool", async () => {
    const { sdk, runner, agent } = await setUp(version, [
      done,
      { calls: [{ tool: "ask_worker", input: { input: "look" } }] },
      look,
      { text: "It adds." },
      done,
    ]);
    // An agent that was watched before, in a run of its own.
    await withPhases(() => createRun(), runner).run(agent, "Say done.");
    const boss = new sdk.Agent({
      name: "Boss",
      model: "m",
      tools: [agent.asTool({ toolName: "ask_worker", toolDescription: "Asks." })],
    });
    const run = createRun();
    const events = eventsOf(run);
    const result = await trackRun(run, () => withPhases(run, runner).run(boss, "Fix it."));
    expect([result.finalOutput, run.view.turn, run.view.toolCalls]).toEqual(["Done.", 2, 1]);
    expect(ofType(events, "tool.finished")).toMatchObject([{ tool: "ask_worker", outcome: "ok", output: "It adds." }]);
  });

  it("sees a failed tool, though the SDK hides the error", async () => {
    const { sdk, runner } = await setUp(version, [{ calls: [{ tool: "burn", input: {} }] }, done]);
    const burn = sdk.tool({
      name: "burn",
      description: "Fails.",
      parameters: { type: "object", properties: {}, required: [], additionalProperties: true },
      strict: false,
      execute: () => Promise.reject(new Error("disk is full")),
    });
    const run = createRun();
    const events = eventsOf(run);
    const agent = new sdk.Agent({ name: "Worker", model: "m", tools: [burn] });
    await trackRun(run, () => withPhases(run, runner).run(agent, "Fix it."));
    expect(ofType(events, "tool.finished")).toMatchObject([{ tool: "burn", outcome: "error" }]);
  });

  it("records a call that a person does not approve, and resumes with the same run", async () => {
    const { sdk, runner, made } = await setUp(version, [look, look, done]);
    const agent = new sdk.Agent({
      name: "Worker",
      model: "m",
      tools: [
        sdk.tool({
          name: "look",
          description: "Reads.",
          parameters: { type: "object", properties: {}, required: [], additionalProperties: true },
          strict: false,
          needsApproval: true,
          execute: () => {
            made.push("look");
            return "the text";
          },
        }),
      ],
    });
    const run = createRun();
    const events = eventsOf(run);
    const phased = withPhases(run, runner);
    const result = await trackRun(run, async () => {
      const first = await phased.run(agent, "Fix it.");
      expect(first.interruptions).toHaveLength(1);
      first.state.reject(first.interruptions[0]!, { message: "Not now." });
      const second = await phased.run(agent, first.state);
      second.state.approve(second.interruptions[0]!);
      // A state that was stored in between knows the agents by name only.
      const restored = await sdk.RunState.fromString(agent, second.state.toString());
      return phased.run(agent, restored);
    });
    expect([result.finalOutput, made]).toEqual(["Done.", ["look"]]);
    expect(ofType(events, "tool.finished").map(({ outcome, output }) => [outcome, output])).toEqual([
      ["denied", "Not now."],
      ["ok", "the text"],
    ]);
    expect(run.outcome).toMatchObject({ reason: "done" });
  });

  it("ends at the limits of the run, also with `maxTurns: null`", async () => {
    const { runner, agent, requests } = await setUp(version, (_request, index) => (index < 3 ? look : done));
    const run = createRun({ policies: [budget({ turns: 3 })] });
    const result = await trackRun(run, () => withPhases(run, runner).run(agent, "Fix it.", { maxTurns: null }));
    expect([result.finalOutput, run.outcome?.reason]).toEqual(["Done.", "turn_limit"]);
    expect(requests().at(-1)?.toolChoice).toBe("none");
  });

  it("ends as step_limit when the SDK's own limit is reached, with and without a handler", async () => {
    const { runner, agent } = await setUp(version, () => look);
    const run = createRun();
    await expect(
      trackRun(run, () => withPhases(run, runner).run(agent, "Fix it.", { maxTurns: 2 })),
    ).rejects.toMatchObject({ name: "MaxTurnsExceededError" });
    expect(run.outcome?.reason).toBe("step_limit");

    const other = createRun();
    const events = eventsOf(other);
    const options = { maxTurns: 2, errorHandlers: { maxTurns: () => ({ finalOutput: "I give up." }) } };
    const result = await trackRun(other, () => withPhases(other, runner).run(agent, "Fix it.", options));
    expect([result.finalOutput, other.outcome?.reason]).toEqual(["I give up.", "step_limit"]);
    expect(ofType(events, "finish.requested")).toEqual([]);
  });

  it("counts `maxTurns` across vetoes", async () => {
    const { runner, agent, requests } = await setUp(version, [done, look, done]);
    const run = createRun({ mode: "gate", policies: [neverDone] });
    const result = await trackRun(run, () => withPhases(run, runner).run(agent, "Fix it.", { maxTurns: 3 }));
    expect([result.finalOutput, run.outcome?.reason, requests()]).toMatchObject([
      "Done.",
      "done_unverified",
      { length: 3 },
    ]);
  });

  it("continues a vetoed run in its session, and keeps the session whole", async () => {
    const { sdk, runner, agent, requests } = await setUp(version, [done, look, done]);
    const session = new sdk.MemorySession();
    const run = createRun({ mode: "gate", policies: [neverDone] });
    await trackRun(run, () => withPhases(run, runner).run(agent, "Fix it.", { session, maxTurns: 3 }));
    expect(
      requests()
        .at(-1)
        ?.messages.map(({ role }) => role),
    ).toEqual(["user", "assistant", "user", "assistant", "tool"]);
    const stored = await session.getItems();
    expect(stored.map((item) => ("role" in item ? item.role : item.type))).toEqual([
      "user",
      "assistant",
      "user",
      "function_call",
      "function_call_result",
      "assistant",
    ]);
  });

  it("runs the caller's filter first, and the one of the runner's config if the call has none", async () => {
    const { sdk, agent, requests } = await setUp(version, [done, done]);
    const provider = version.connect(server!.url, "responses");
    const say = definePolicy({ name: "say", decide: { "turn.started": () => nudge("Be brief.") } });
    const runner = new sdk.Runner({
      modelProvider: provider,
      callModelInputFilter: ({ modelData }) => ({ ...modelData, instructions: "From the config." }),
    });
    for (const options of [{}, { callModelInputFilter: ({ modelData }: { modelData: never }) => modelData }]) {
      const run = createRun({ policies: [say] });
      await trackRun(run, () => withPhases(run, runner).run(agent, "Fix it.", options as never));
    }
    expect(requests().map(({ messages }) => messages.at(-1)?.text.includes("Be brief."))).toEqual([true, true]);
    expect(server?.requests.map(({ body }) => body["instructions"])).toEqual(["From the config.", undefined]);
  });

  it("vetoes a streamed run with runUntilVerified, and asks once about a result", async () => {
    const { runner, agent, requests } = await setUp(version, [done, look, done, done]);
    const run = createRun({ mode: "gate", policies: [neverDone] });
    const events = eventsOf(run);
    const phased = withPhases(run, runner);
    await trackRun(run, async () => {
      await runUntilVerified(run, {
        input: "Fix it.",
        start: async (input) => {
          const stream = await phased.run(agent, input as string, { stream: true });
          await stream.completed;
          return stream;
        },
      });
    });
    expect(requests()).toHaveLength(4);
    expect(ofType(events, "finish.requested")).toHaveLength(3);
    const whole = createRun();
    const wholeEvents = eventsOf(whole);
    await server?.close();
    const next = await setUp(version, [done]);
    await trackRun(whole, () =>
      runUntilVerified(whole, {
        input: "Fix it.",
        start: (input) => withPhases(whole, next.runner).run(next.agent, input as string),
      }),
    );
    expect(ofType(wholeEvents, "finish.requested")).toHaveLength(1);
  });

  it("ends as answer_truncated when the SDK rejects an answer that was cut off", async () => {
    const { runner, agent } = await setUp(version, [{ text: "I have", cutOff: true }]);
    const run = createRun();
    await expect(trackRun(run, () => withPhases(run, runner).run(agent, "Fix it."))).rejects.toMatchObject({
      name: "ModelBehaviorError",
    });
    expect(run.outcome?.reason).toBe("answer_truncated");
  });

  it("takes plain tools, and refuses what is not a runner", async () => {
    const { sdk, runner } = await setUp(version, [{ calls: [{ tool: "status", input: {} }] }, done]);
    const plain = {
      name: "status",
      description: "Says where the run is.",
      inputSchema: { type: "object", properties: {}, required: [], additionalProperties: true },
      execute: () => ({ ok: true, text: "all well" }),
    };
    const agent = new sdk.Agent({
      name: "Worker",
      model: "m",
      tools: toAgentTools([plain as never], { tool: (options) => sdk.tool(options) }),
    });
    const run = createRun();
    const events = eventsOf(run);
    await trackRun(run, () => withPhases(run, runner).run(agent, "Fix it."));
    expect(ofType(events, "tool.finished")).toMatchObject([{ tool: "status", outcome: "ok", output: "all well" }]);
    expect(() => withPhases(run, agent as never)).toThrow("it is not a Runner");
  });
});
