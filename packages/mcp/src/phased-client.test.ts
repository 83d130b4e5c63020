import { createRun, definePolicy, refuse, type RunEvent, type RunPort } from "@phasekit/core";
import { describe, expect, it } from "vitest";
import { phasedClient } from "./phased-client.ts";

/** A client that keeps a private member, as real ones do. */
class FakeClient {
  readonly calls: unknown[] = [];
  #answers: readonly unknown[];
  constructor(...answers: readonly unknown[]) {
    this.#answers = answers;
  }
  callTool(params: { readonly name: string; readonly arguments?: Readonly<Record<string, unknown>> }, options?: object): Promise<unknown> {
    const answer = this.#answers[this.calls.length];
    this.calls.push(options === undefined ? params : [params, options]);
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
  }
  listTools(): Promise<{ readonly tools: readonly { readonly name: string }[]; readonly nextCursor: string }> {
    return Promise.resolve({ tools: [{ name: "search" }, { name: "write" }], nextCursor: String(this.#answers.length) });
  }
  size(): number {
    return this.#answers.length;
  }
}

function eventsOf(run: Pick<RunPort, "subscribe">): readonly RunEvent[] {
  const events: RunEvent[] = [];
  run.subscribe((step) => events.push(...step));
  return events;
}
const text = (value: string, more: object = {}) => ({ content: [{ type: "text", text: value }], ...more });
const noWriting = definePolicy({ name: "no-writing", decide: { "tool.requested": (_run, _state, { tool }) => (tool === "write" ? refuse("Nothing is written in this phase.") : undefined) } });

describe("phasedClient", () => {
  it.each([
    { name: "a text", result: text("two hits"), fact: { outcome: "ok", output: "two hits" } },
    { name: "several parts", result: { content: [{ type: "text", text: "a" }, { type: "image", data: "…", mimeType: "image/png" }] }, fact: { outcome: "ok", output: "a\n[image]" } },
    { name: "data", result: text("2", { structuredContent: { hits: 2, exitCode: 3 } }), fact: { outcome: "ok", output: { hits: 2, exitCode: 3 }, exitCode: 3 } },
    { name: "a failure", result: text("no such index", { isError: true }), fact: { outcome: "error", output: "no such index" } },
    { name: "a failure with data", result: text("no", { structuredContent: { ok: false }, isError: true }), fact: { outcome: "error", output: { ok: false } } },
  ])("records $name as the server gave it, and hands it on", async ({ result, fact }) => {
    const run = createRun();
    const events = eventsOf(run);
    const client = new FakeClient(result);
    expect(await phasedClient(client, run).callTool({ name: "search", arguments: { q: "x" } }, { timeout: 5 })).toBe(result);
    expect(client.calls).toEqual([[{ name: "search", arguments: { q: "x" } }, { timeout: 5 }]]);
    expect(events.find(({ type }) => type === "tool.requested")).toMatchObject({ tool: "search", input: { q: "x" } });
    expect(events.find(({ type }) => type === "tool.finished")).toMatchObject({ tool: "search", ...fact });
  });

  it("does not make a call the run refuses, and answers with the refusal", async () => {
    const run = createRun({ mode: "gate", policies: [noWriting] });
    const client = new FakeClient(text("never"));
    expect(await phasedClient(client, run).callTool({ name: "write" })).toEqual({ content: [{ type: "text", text: "Nothing is written in this phase." }], isError: true });
    expect(client.calls).toEqual([]);
  });

  it("makes the same call in observe mode, and records what gate would have done", async () => {
    const run = createRun({ mode: "observe", policies: [noWriting] });
    const events = eventsOf(run);
    const client = new FakeClient(text("written"));
    await phasedClient(client, run).callTool({ name: "write" });
    expect(client.calls).toHaveLength(1);
    expect(events.find(({ type }) => type === "tool.refused")).toMatchObject({ applied: false });
  });

  it("records a connection that breaks, and hands the error on", async () => {
    const run = createRun();
    const events = eventsOf(run);
    const broken = new Error("Connection closed");
    await expect(phasedClient(new FakeClient(broken), run).callTool({ name: "search" })).rejects.toBe(broken);
    expect(events.find(({ type }) => type === "tool.finished")).toMatchObject({ outcome: "error", output: "Connection closed" });
  });

  it("is the same client otherwise, private members included", async () => {
    const client = phasedClient(new FakeClient(1, 2), createRun());
    expect(client.size()).toBe(2);
    expect((await client.listTools()).tools).toHaveLength(2);
  });

  it("names tools as the run knows them, and finds the run by the call", async () => {
    const runs = { docs__search: createRun({ id: "a" }), docs__write: createRun({ id: "b" }) };
    const client = phasedClient(new FakeClient(text("1"), text("2")), ({ tool }) => runs[tool as keyof typeof runs], { toolName: (name) => `docs__${name}` });
    await client.callTool({ name: "search" });
    await client.callTool({ name: "write" });
    expect([runs.docs__search.view.toolCalls, runs.docs__write.view.toolCalls]).toEqual([1, 1]);
  });

  const graph = { name: "g", initial: "looking", phases: { looking: { next: [], final: true, tools: { deny: ["write"] } } } } as const;
  it.each([
    { hideTools: true, mode: "gate", names: ["search"] },
    { hideTools: true, mode: "nudge", names: ["search", "write"] },
    { hideTools: false, mode: "gate", names: ["search", "write"] },
  ] as const)("lists tools: hideTools $hideTools in mode $mode", async ({ hideTools, mode, names }) => {
    const run = createRun({ graph, mode });
    const { tools, nextCursor } = await phasedClient(new FakeClient(1), run, { hideTools }).listTools();
    expect(tools.map(({ name }) => name)).toEqual(names);
    expect(nextCursor).toBe("1");
    // Looking at the list is nothing the agent did.
    expect(run.view.turn).toBe(0);
  });

  it("refuses a run that has ended, and lets the call through when the run itself is broken", async () => {
    const ended = createRun();
    ended.end();
    await expect(phasedClient(new FakeClient(text("x")), ended).callTool({ name: "search" })).rejects.toMatchObject({ code: "RUN_ENDED" });
    const fail = (): never => {
      throw new Error("broken");
    };
    const broken = { ...createRun(), record: fail, beforeTool: fail };
    expect(await phasedClient(new FakeClient(text("x")), broken).callTool({ name: "search" })).toEqual(text("x"));
  });
});
