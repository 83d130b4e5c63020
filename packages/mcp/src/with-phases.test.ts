import { createRun, definePolicy, refuse, type RunEvent, type RunPort } from "@phasekit/core";
import { describe, expect, it } from "vitest";
import { withPhases } from "./with-phases.ts";

/** A client that keeps a private member, as real ones do. */
class FakeClient {
  readonly calls: unknown[] = [];
  #answers: readonly unknown[];
  constructor(...answers: readonly unknown[]) {
    this.#answers = answers;
  }
  callTool(
    params: { readonly name: string; readonly arguments?: Readonly<Record<string, unknown>> },
    options?: object,
  ): Promise<unknown> {
    const answer = this.#answers[this.calls.length];
    this.calls.push(options === undefined ? params : [params, options]);
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
  }
  listTools(): Promise<{ readonly tools: readonly { readonly name: string }[]; readonly nextCursor: string }> {
    return Promise.resolve({
      tools: [{ name: "search" }, { name: "write" }],
      nextCursor: String(this.#answers.length),
    });
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
const noWriting = definePolicy({
  name: "no-writing",
  decide: {
    "tool.requested": (_run, _state, { tool }) =>
      tool === "write" ? refuse("Nothing is written in this phase.") : undefined,
  },
});

describe("withPhases", () => {
  it.each([
    { name: "a text", result: text("two hits"), event: { outcome: "ok", output: "two hits" } },
    {
      name: "several parts",
      result: {
        content: [
          { type: "text", text: "a" },
          { type: "image", data: "…", mimeType: "image/png" },
        ],
      },
      event: { outcome: "ok", output: "a\n[image]" },
    },
    {
      name: "data",
      result: text("2", { structuredContent: { hits: 2, exitCode: 3 } }),
      event: { outcome: "ok", output: { hits: 2, exitCode: 3 }, exitCode: 3 },
    },
    {
      name: "a failure",
      result: text("no such index", { isError: true }),
      event: { outcome: "error", output: "no such index" },
    },
    {
      name: "a failure with data",
      result: text("no", { structuredContent: { ok: false }, isError: true }),
      event: { outcome: "error", output: { ok: false } },
    },
  ])("withPhases records $name and returns it unchanged", async ({ result, event }) => {
    const run = createRun();
    const events = eventsOf(run);
    const client = new FakeClient(result);
    expect(await withPhases(run, client).callTool({ name: "search", arguments: { q: "x" } }, { timeout: 5 })).toBe(
      result,
    );
    expect(client.calls).toEqual([[{ name: "search", arguments: { q: "x" } }, { timeout: 5 }]]);
    expect(events.find(({ type }) => type === "tool.requested")).toMatchObject({ tool: "search", input: { q: "x" } });
    expect(events.find(({ type }) => type === "tool.finished")).toMatchObject({ tool: "search", ...event });
  });

  it("withPhases answers a refused call with the refusal and does not reach the server", async () => {
    const run = createRun({ mode: "gate", policies: [noWriting] });
    const client = new FakeClient(text("never"));
    expect(await withPhases(run, client).callTool({ name: "write" })).toEqual({
      content: [{ type: "text", text: "Nothing is written in this phase." }],
      isError: true,
    });
    expect(client.calls).toEqual([]);
  });

  it("withPhases makes the call in observe mode and records the refusal that gate mode would send", async () => {
    const run = createRun({ mode: "observe", policies: [noWriting] });
    const events = eventsOf(run);
    const client = new FakeClient(text("written"));
    await withPhases(run, client).callTool({ name: "write" });
    expect(client.calls).toHaveLength(1);
    expect(events.find(({ type }) => type === "tool.refused")).toMatchObject({ applied: false });
  });

  it("withPhases records a connection error and rethrows it", async () => {
    const run = createRun();
    const events = eventsOf(run);
    const broken = new Error("Connection closed");
    await expect(withPhases(run, new FakeClient(broken)).callTool({ name: "search" })).rejects.toBe(broken);
    expect(events.find(({ type }) => type === "tool.finished")).toMatchObject({
      outcome: "error",
      output: "Connection closed",
    });
  });

  it("withPhases leaves every other method working, private members included", async () => {
    const client = withPhases(createRun(), new FakeClient(1, 2));
    expect(client.size()).toBe(2);
    expect((await client.listTools()).tools).toHaveLength(2);
  });

  it("toolName renames tools for the run, and a function picks the run of each call", async () => {
    const runs = { docs__search: createRun({ id: "a" }), docs__write: createRun({ id: "b" }) };
    const client = withPhases(({ tool }) => runs[tool as keyof typeof runs], new FakeClient(text("1"), text("2")), {
      toolName: (name) => `docs__${name}`,
    });
    await client.callTool({ name: "search" });
    await client.callTool({ name: "write" });
    expect([runs.docs__search.view.toolCalls, runs.docs__write.view.toolCalls]).toEqual([1, 1]);
  });

  const graph = {
    name: "g",
    initial: "looking",
    phases: { looking: { next: [], final: true, tools: { deny: ["write"] } } },
  } as const;
  it.each([
    { hideTools: true, mode: "gate", names: ["search"] },
    { hideTools: true, mode: "nudge", names: ["search", "write"] },
    { hideTools: false, mode: "gate", names: ["search", "write"] },
  ] as const)("listTools returns $names: hideTools $hideTools, mode $mode", async ({ hideTools, mode, names }) => {
    const run = createRun({ graph, mode });
    const { tools, nextCursor } = await withPhases(run, new FakeClient(1), { hideTools }).listTools();
    expect(tools.map(({ name }) => name)).toEqual(names);
    expect(nextCursor).toBe("1");
    // Listing tools is not an action of the agent.
    expect(run.view.turn).toBe(0);
  });

  it("withPhases rejects a call of an ended run, and makes the call if the run throws", async () => {
    const ended = createRun();
    ended.end();
    await expect(withPhases(ended, new FakeClient(text("x"))).callTool({ name: "search" })).rejects.toMatchObject({
      code: "RUN_ENDED",
    });
    const fail = (): never => {
      throw new Error("broken");
    };
    const broken = { ...createRun(), record: fail, beforeTool: fail };
    expect(await withPhases(broken, new FakeClient(text("x"))).callTool({ name: "search" })).toEqual(text("x"));
  });
});
