import { type Options, query } from "@anthropic-ai/claude-agent-sdk";
import { createRun, type RunEvent, type RunPort } from "@phasekit/core";
import { scriptedClaude } from "@phasekit/tooling/scripted-claude";
import { describe, expect, it } from "vitest";
import { withPhases } from "../src/index.ts";

const usage = { input: 10, output: 2 };

function options(): Options {
  const claude = scriptedClaude({
    tools: [{ name: "look", execute: () => "seen" }],
    script: [
      { calls: [{ tool: "look", input: {} }], usage },
      { text: "Done.", usage },
    ],
  });
  return {
    spawnClaudeCodeProcess: claude.spawn,
    pathToClaudeCodeExecutable: "/scripted/claude",
    settingSources: [],
  };
}

type Parameters = { readonly prompt: string; readonly options?: Options };

/** A wrapper as people write it. */
async function* wrapped(parameters: Parameters): AsyncGenerator<{ readonly type: string }, void> {
  yield* query(parameters);
}

function typesOf(run: Pick<RunPort, "subscribe">): readonly RunEvent["type"][] {
  const types: RunEvent["type"][] = [];
  run.subscribe((step) => types.push(...step.map(({ type }) => type)));
  return types;
}

/** A query of made-up messages that notes how it ended. */
function madeUp(messages: readonly object[], { waits = false, error }: { waits?: boolean; error?: Error } = {}) {
  const ends: string[] = [];
  let read = 0;
  async function* ask(_parameters: Parameters): AsyncGenerator<object, void> {
    try {
      for (const message of messages) {
        read += 1;
        yield message;
      }
      // A query in streaming input mode waits for the user.
      if (waits) await new Promise(() => undefined);
      if (error !== undefined) throw error;
      ends.push("over");
    } finally {
      ends.push("closed");
    }
  }
  return { ends, read: () => read, ask };
}

// A test that hangs is one that fails; nothing here waits for time to pass.
describe("a query that is a plain async generator", { timeout: 60_000 }, () => {
  it("is read to its end, with the events of the query it wraps", async () => {
    const [plain, other] = [createRun(), createRun()];
    const [events, expected] = [typesOf(plain), typesOf(other)];
    const types: string[] = [];
    for await (const { type } of withPhases(plain, wrapped)({ prompt: "Go.", options: options() })) types.push(type);
    const original: string[] = [];
    for await (const { type } of withPhases(other, query)({ prompt: "Go.", options: options() })) original.push(type);
    expect(types).toEqual(original);
    expect(types.at(-1)).toBe("result");
    expect([...events].sort()).toEqual([...expected].sort());
    expect(events).toContain("tool.finished");
  });

  it("is ended when its caller stops reading, also if it waits for more", async () => {
    const { ask, ends, read } = madeUp([{ type: "system" }, { type: "assistant" }], { waits: true });
    for await (const message of withPhases(createRun(), ask)({ prompt: "Go." })) {
      expect(message).toEqual({ type: "system" });
      break;
    }
    expect(ends).toEqual(["closed"]);
    expect(read()).toBe(1);
  });

  it("throws its own error, and ends a run of its own with it", async () => {
    const { ask, ends } = madeUp([{ type: "system" }], { error: new RangeError("gone") });
    const run = createRun();
    const messages = withPhases(() => run, ask)({ prompt: "Go." });
    await expect(messages.next()).resolves.toEqual({ done: false, value: { type: "system" } });
    await expect(messages.next()).rejects.toThrow("gone");
    expect(ends).toEqual(["closed"]);
    expect(run.outcome).toMatchObject({ error: { message: "gone" } });
  });

  it("does not start before it is read, and can be given back unread", async () => {
    const { ask, ends, read } = madeUp([{ type: "system" }]);
    const messages = withPhases(createRun(), ask)({ prompt: "Go." });
    await messages.return();
    expect([read(), ends]).toEqual([0, []]);
    await expect(messages.next()).resolves.toEqual({ done: true, value: undefined });
  });

  it("is closed when its caller throws into it", async () => {
    const { ask, ends } = madeUp([{ type: "system" }, { type: "assistant" }]);
    const messages = withPhases(createRun(), ask)({ prompt: "Go." });
    await messages.next();
    await expect(messages.throw(new RangeError("enough"))).rejects.toThrow("enough");
    expect(ends).toEqual(["closed"]);
  });
});
