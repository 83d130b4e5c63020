import { createRun, definePhaseGraph, definePolicy, nameTableInterpreter, transition, trackRun } from "@phasekit/core";
import { storeRun, classifyFailure, createMemoryStore, readRun, type RunStore, summarizeRun } from "@phasekit/ledger";
import { reading } from "@phasekit/reading";
import { escalation, watchdog } from "@phasekit/watchdog";
import { createAgent } from "langchain";
import { describe, expect, it } from "vitest";
import { phaseMiddleware } from "../src/index.ts";
import { call, eventsOf, look, say, scriptChat, showMessages } from "./scripted-chat.ts";

const watched = { interpret: [nameTableInterpreter(), reading()], policies: [watchdog(), escalation()] };

/** A model that repeats one call until the request forbids tools. */
const stuck = () =>
  scriptChat(({ body }) => (body["tool_choice"] === "none" ? say("I was stuck.") : call("look", { path: "a.ts" })));

describe("with the watchdog", () => {
  it("a run that repeats itself is refused, then wrapped up, in gate mode", async () => {
    const { model, server, sent } = await stuck();
    const run = createRun({ ...watched, mode: "gate" });
    const events = eventsOf(run);
    let made = 0;
    const agent = createAgent({
      model,
      tools: [look(() => ((made += 1), "seen"))],
      middleware: [phaseMiddleware(run)],
    });
    const { messages } = await trackRun(run, () => agent.invoke({ messages: "go" }, { recursionLimit: 100 }));
    const refused = events.filter((event) => event.type === "tool.refused" && event.applied).length;
    expect(refused).toBeGreaterThan(0);
    expect(made).toBe(server.requests.length - 1 - refused);
    expect(messages.at(-1)?.text).toBe("I was stuck.");
    expect(server.requests.at(-1)?.body["tool_choice"]).toBe("none");
    expect(sent(server.requests.length - 1).at(-1)).toContain("<phasekit>");
    expect(run.outcome).toMatchObject({ verified: false });
    expect([run.view.stopped?.how, run.outcome?.reason]).toEqual(["wrap-up", "aborted_stagnation"]);
  });

  it("the same run is not changed in observe mode, and the log has the decisions", async () => {
    const { model, server } = await scriptChat((_request, index) =>
      index < 12 ? call("look", { path: "a.ts" }) : say("Done."),
    );
    const run = createRun({ ...watched, mode: "observe" });
    const events = eventsOf(run);
    await trackRun(run, () =>
      createAgent({ model, tools: [look()], middleware: [phaseMiddleware(run)] }).invoke(
        { messages: "go" },
        { recursionLimit: 100 },
      ),
    );
    expect(server.requests).toHaveLength(13);
    expect(JSON.stringify(server.requests.at(-1)?.body)).not.toContain("phasekit");
    const decided = events.filter((event) => "applied" in event);
    expect(decided.length).toBeGreaterThan(0);
    expect(decided.every((event) => !(event as { applied: boolean }).applied)).toBe(true);
  });
});

describe("with the ledger", () => {
  const graph = definePhaseGraph({
    name: "two",
    initial: "looking",
    phases: { looking: { next: ["telling"] }, telling: { next: [], final: true } },
  });
  const move = definePolicy({
    name: "move",
    mentions: ["looking", "telling"],
    decide: { "tool.finished": (run) => (run.isIn("looking") ? transition("telling", { reason: "seen" }) : undefined) },
  });

  async function storedAgent(store: RunStore, failing = false) {
    const { model } = await scriptChat([
      { calls: [{ tool: "look" }], usage: { input: 100, output: 7, cached: 60 } },
      failing
        ? { fails: { status: 429, code: "rate_limit_exceeded" } }
        : { text: "Done.", usage: { input: 120, output: 5 } },
    ]);
    const run = createRun({ graph, policies: [move] });
    const stored = storeRun(run, store);
    const agent = createAgent({ model, tools: [look()], middleware: [phaseMiddleware(run)] });
    const result = await trackRun(run, () => agent.invoke({ messages: "go" }), {
      classify: (error) => classifyFailure(error).reason,
    }).then(({ messages }) => showMessages(messages), String);
    await stored.close().catch(() => undefined);
    return { run, result };
  }

  it("usage reaches the records of the phases it was spent in", async () => {
    const store = createMemoryStore();
    const { run } = await storedAgent(store);
    const { state, phases } = summarizeRun(await readRun(store, run.id));
    expect(state).toBe("success");
    expect(
      phases.map(({ phase, success, aggregates }) => ({ phase, success, ...aggregates.total.usage })),
    ).toMatchObject([
      {
        phase: "looking",
        success: true,
        modelCalls: 1,
        inputTokens: 100,
        outputTokens: 7,
        cachedInputTokens: 60,
        unknownCalls: 0,
      },
      { phase: "telling", success: true, modelCalls: 1, inputTokens: 120, outputTokens: 5, unknownCalls: 0 },
    ]);
  });

  it("the errors LangChain wraps around a failure do not hide its reason", async () => {
    const store = createMemoryStore();
    const { run } = await storedAgent(store, true);
    expect(summarizeRun(await readRun(store, run.id))).toMatchObject({ state: "failed", reason: "rate_limit" });
  });

  it.each([
    {
      what: "throws",
      append: (): never => {
        throw new Error("the disk is full");
      },
    },
    { what: "rejects", append: () => Promise.reject(new Error("the disk is full")) },
  ])("a store that $what changes nothing for the agent", async ({ append }) => {
    const { run, result } = await storedAgent({ ...createMemoryStore(), append });
    expect(result).toEqual((await storedAgent(createMemoryStore())).result);
    expect(run.outcome?.reason).toBe("done");
  });
});
