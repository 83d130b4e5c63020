import { describe, expect, it } from "vitest";
import type { RunSource } from "../src/adapter.ts";
import type { RunPort } from "../src/index.ts";
import { type AdapterHarness, describeAdapter } from "../src/testing.ts";
import { plainLoop } from "./plain-loop.ts";

describeAdapter(plainLoop, { describe, it });

/** The names of the scenarios an adapter fails. */
async function failuresOf(harness: AdapterHarness): Promise<readonly string[]> {
  const tests: { readonly name: string; readonly body: () => Promise<void> }[] = [];
  describeAdapter(harness, { describe: (_name, body) => body(), it: (name, body) => tests.push({ name, body }) });
  const failed: string[] = [];
  for (const { name, body } of tests) await body().catch(() => failed.push(name));
  return failed;
}

/** The plain loop with a run that is not quite the one it was given. */
function spoiled(spoil: (run: RunPort) => Partial<RunPort>): AdapterHarness {
  return {
    ...plainLoop,
    start: async (agent) => {
      const host = await plainLoop.start(agent);
      const wrap = (run: RunPort): RunPort =>
        Object.create(run, Object.getOwnPropertyDescriptors(spoil(run))) as RunPort;
      return {
        ...host,
        invoke: (source: RunSource) =>
          host.invoke(typeof source === "function" ? (context) => wrap(source(context)) : wrap(source)),
      };
    },
  };
}

describe("describeAdapter itself", () => {
  it("describeAdapter passes a correct adapter", async () => {
    expect(await failuresOf(spoiled(() => ({})))).toEqual([]);
  });

  it.each([
    {
      name: "forgets the text of answers",
      spoil: (run: RunPort) => ({
        record: (input: Parameters<RunPort["record"]>[0]) => input.type !== "message.sent" && run.record(input),
      }),
      caught: "sees an answer: usage, why it ended, its text",
    },
    {
      name: "takes unknown usage for zero",
      spoil: (run: RunPort) => ({
        record: (input: Parameters<RunPort["record"]>[0]) =>
          run.record(
            input.type === "model.answered" ? { usage: { inputTokens: 0, outputTokens: 0 }, ...input } : input,
          ),
      }),
      caught: "knows cached tokens, and knows what it does not know",
    },
    {
      name: "makes calls that were refused",
      spoil: (run: RunPort) => ({
        beforeTool: (call: Parameters<RunPort["beforeTool"]>[0]) => ({
          allow: true as const,
          call: run.beforeTool(call).call,
        }),
      }),
      caught: "refuses a call in gate mode: it is not executed, its neighbour is",
    },
    {
      name: "swallows nudges",
      spoil: (run: RunPort) => ({ beforeTurn: () => ({ ...run.beforeTurn(), message: undefined }) }),
      caught: "nudges once, after all results, and keeps the nudge where it is",
    },
    {
      name: "never sends a finish back",
      spoil: (run: RunPort) => ({
        beforeFinish: (finish: object = {}) => {
          const { evidence } = run.beforeFinish(finish);
          return { accept: true as const, verified: false, evidence, unmet: [] };
        },
      }),
      caught: "sends a finish without tests back, and accepts it after them",
    },
    {
      name: "goes on after a stop",
      spoil: (run: RunPort) => ({ beforeTurn: () => ({ ...run.beforeTurn(), stop: undefined }) }),
      caught: "stops after the results, with no call left open",
    },
    {
      name: "offers tools in the closing turn",
      spoil: (run: RunPort) => ({ beforeTurn: () => ({ ...run.beforeTurn(), wrapUp: false }) }),
      caught: "wraps up at a limit the user wrote, in nudge mode too",
    },
  ])("describeAdapter catches an adapter that $name", async ({ spoil, caught }) => {
    expect(await failuresOf(spoiled(spoil))).toContain(caught);
  });
});
