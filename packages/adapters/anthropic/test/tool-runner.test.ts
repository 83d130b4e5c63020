import { createRun, definePolicy, nudge, refuse, type RunPort, stop, trackRun, veto } from "@phasekit/core";
import { type AnthropicServer, seenAnthropicRequest } from "@phasekit/tooling/anthropic-server";
import { describe, expect, it } from "vitest";
import { toRunnableTools, withPhases } from "../src/index.ts";
import { connect } from "./anthropic-harness.ts";
import { eventsOf, ofType, startServer } from "./server-kit.ts";

const hello = { model: "m", max_tokens: 100, messages: [{ role: "user" as const, content: "hello" }] };
const made: string[] = [];
const tools = () => {
  made.length = 0;
  return toRunnableTools(
    ["look", "drop"].map((name) => ({
      name,
      description: "",
      inputSchema: {},
      execute: () => {
        made.push(name);
        return { ok: true, text: `${name} done` };
      },
    })),
  );
};
const look = { calls: [{ tool: "look" }] };
const roles = (server: AnthropicServer, index: number) =>
  seenAnthropicRequest(server.requests[index]!)
    .messages.map(({ role, text }) => (text.startsWith("<phasekit>") ? "ours" : role))
    .join(" ");
const noDrop = definePolicy({
  name: "no-drop",
  decide: { "tool.requested": (_run, _state, { tool }) => (tool === "drop" ? refuse("Not that one.") : undefined) },
});

describe("a tool runner of the wrapped client", () => {
  it("sends only what is new to the server's thread, with the nudge in it once", async () => {
    const server = await startServer([look, look, { text: "Done." }]);
    const speak = definePolicy({
      name: "speak",
      decide: { "turn.started": ({ turn }) => (turn === 2 ? nudge("Hurry.") : undefined) },
    });
    const run = createRun({ policies: [speak] });
    const runner = withPhases(run, connect(server.url)).beta.messages.toolRunner({ ...hello, tools: tools() });
    expect((await runner).content).toMatchObject([{ text: "Done." }]);
    expect(server.requests.map(({ body }) => (body["messages"] as unknown[]).length)).toEqual([1, 1, 1]);
    expect(roles(server, 2)).toBe("user assistant tool ours assistant tool");
    // The nudge is part of the runner's own history.
    expect(JSON.stringify(runner.params.messages).match(/Hurry/g)).toHaveLength(1);
  });

  it("does not run a refused tool; its neighbour runs, also while the answer streams", async () => {
    for (const eager of [false, true]) {
      const server = await startServer([{ calls: [{ tool: "drop" }, { tool: "look" }] }, { text: "Done." }]);
      const run = createRun({ mode: "gate", policies: [noDrop] });
      const events = eventsOf(run);
      const client = withPhases(run, connect(server.url));
      await trackRun(run, () =>
        client.beta.messages
          .toolRunner({ ...hello, tools: tools(), stream: true, runToolsEagerly: eager })
          .runUntilDone(),
      );
      expect(made).toEqual(["look"]);
      expect(ofType(events, "tool.requested")).toHaveLength(2);
      expect(ofType(events, "tool.finished")).toMatchObject([{ tool: "look", outcome: "ok" }]);
      expect(ofType(events, "model.answered")).toMatchObject([{ toolCalls: 2 }, { toolCalls: 0 }]);
      expect(JSON.stringify(server.requests[1]?.body)).toContain('"is_error":true');
    }
  });

  it("guards tools that are added later, and survives removed ones", async () => {
    const server = await startServer([look, { calls: [{ tool: "drop" }, { tool: "look" }] }, { text: "Done." }]);
    const run = createRun({ mode: "gate", policies: [noDrop] });
    const events = eventsOf(run);
    const [first, second] = tools();
    const runner = withPhases(run, connect(server.url)).beta.messages.toolRunner({ ...hello, tools: [first!] });
    let turns = 0;
    for await (const message of runner) {
      turns += 1;
      if (turns !== 1 || message.stop_reason !== "tool_use") continue;
      runner.addTools(second!);
      runner.removeTools("look");
    }
    expect(made).toEqual([]);
    expect(ofType(events, "tool.refused")).toHaveLength(1);
    expect(ofType(events, "tool.finished").map(({ tool, outcome }) => `${tool} ${outcome}`)).toEqual([
      "look error",
      "look error",
    ]);
  });

  it("leaves a turn to a caller that replaces the history in its loop", async () => {
    const server = await startServer([look, { text: "Done." }]);
    const never = definePolicy({ name: "never", decide: { "finish.requested": () => veto("More.") } });
    const run = createRun({ mode: "gate", policies: [never] });
    const runner = withPhases(run, connect(server.url)).beta.messages.toolRunner({ ...hello, tools: tools() });
    let turns = 0;
    for await (const message of runner) {
      turns += 1;
      const own = { type: "tool_result" as const, content: "my own" };
      const [call] = message.content;
      if (call?.type === "tool_use")
        runner.pushMessages(
          { role: "assistant", content: message.content },
          { role: "user", content: [{ ...own, tool_use_id: call.id }] },
        );
      else break;
    }
    expect([turns, made]).toEqual([2, []]);
    expect(run.view.toolCalls).toBe(1);
  });

  it("ends the loop of a stopped run without an error, with every call answered", async () => {
    const server = await startServer([look, { text: "never asked" }]);
    const once = definePolicy({ name: "once", decide: { "tool.finished": () => stop({ how: "halt" }) } });
    const run = createRun({ policies: [once] });
    const client = withPhases(run, connect(server.url));
    const runner = client.beta.messages.toolRunner({ ...hello, tools: tools() });
    const message = await trackRun(run, () => runner.runUntilDone());
    expect([message.stop_reason, server.requests.length, run.outcome?.reason]).toEqual(["tool_use", 1, "policy_stop"]);
    expect(runner.params.messages.at(-1)).toMatchObject({ role: "user", content: [{ type: "tool_result" }] });
    expect(await runner.done()).toBe(message);
  });

  it("counts the request for a summary, but takes it for no turn and says nothing in it", async () => {
    const usage = { input: 50, output: 5 };
    const server = await startServer([look, { text: "The summary.", usage }, { text: "Done.", usage }]);
    const speak = definePolicy({
      name: "speak",
      decide: { "turn.started": ({ turn }) => nudge(`Turn ${String(turn)}.`, { episode: String(turn) }) },
    });
    const run = createRun({ policies: [speak], nudges: { cooldownTurns: 0 } });
    const events = eventsOf(run);
    const runner = withPhases(run, connect(server.url)).beta.messages.toolRunner({ ...hello, tools: tools() });
    let turns = 0;
    for await (const message of runner) {
      turns += 1;
      if (message.stop_reason === "tool_use") runner.compactBeforeNextTurn();
    }
    expect(turns).toBe(3);
    expect(ofType(events, "context.compacted")).toMatchObject([{ summary: "The summary." }]);
    expect(server.requests[1]?.body).toHaveProperty("compaction");
    expect(run.view.turn).toBe(2);
    expect(server.requests[1]?.text).not.toContain("Turn 2.");
    expect(server.requests[2]?.text).toContain("Turn 2.");
    expect(run.view.usage).toMatchObject({ modelCalls: 3, inputTokens: 100 });
  });

  it("takes one run per runner from a function, whatever the number of requests", async () => {
    const server = await startServer([look, { text: "Done." }]);
    const runs: RunPort[] = [];
    const source = () => {
      const run = createRun();
      runs.push(run);
      return run;
    };
    await withPhases(source, connect(server.url)).beta.messages.toolRunner({ ...hello, tools: tools() });
    expect(runs.map(({ view }) => view.turn)).toEqual([2]);
  });

  it("says why a streamed turn failed, once", async () => {
    const server = await startServer([{ fails: { status: 529, code: "overloaded_error" } }]);
    const run = createRun();
    const events = eventsOf(run);
    const client = withPhases(run, connect(server.url));
    await expect(
      trackRun(run, () => client.beta.messages.toolRunner({ ...hello, tools: tools(), stream: true }).runUntilDone()),
    ).rejects.toThrow();
    expect(ofType(events, "model.failed")).toMatchObject([{ status: 529, code: "overloaded_error" }]);
    expect(run.outcome?.reason).toBe("upstream_unhealthy");
  });
});
