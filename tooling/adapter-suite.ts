import { codingRun, type CodingRunOptions } from "@phasekit/coding";
import { definePolicy, type RunEvent, trackRun } from "@phasekit/core";
import { storeRun, createMemoryStore, readRun, type RunStore, type RunSummary, summarizeRun } from "@phasekit/ledger";
import { describe, expect, it } from "vitest";
import {
  bash,
  edit,
  read,
  type ReactingAgent,
  type ReactingHarness,
  toyProject,
} from "./adapter-suite/reacting-agent.ts";
import type { ScriptedAnswer } from "./openai-server/protocol.ts";
import type { SeenMessage, SeenRequest } from "./openai-server/seen-request.ts";

export { describeFaults } from "./adapter-suite/faults.ts";
export { describeIncident } from "./adapter-suite/incident.ts";
export type { ReactingAgent, ReactingHarness } from "./adapter-suite/reacting-agent.ts";

const usage = { input: 1000, output: 50, cached: 800 };

/** Reads eleven files, two of them in the turn that is one too many, then works and is done. */
const explorer: readonly ScriptedAnswer[] = [
  ...Array.from({ length: 8 }, (_, index) => ({ calls: [read(`src/part-${String(index)}.ts`)], usage })),
  { calls: [read("src/part-8.ts"), read("src/part-9.ts")], usage },
  { calls: [read("src/part-10.ts")], usage },
  { calls: [edit("src/part-3.ts")], usage },
  { calls: [bash("npx vitest run")], usage },
  { text: "Done.", usage },
];

/** Runs the tests, edits, and says that it is done; runs the tests again when it is sent back. */
const hasty = (request: SeenRequest, index: number): ScriptedAnswer => {
  const sentBack = request.messages.some(isOurs);
  const answers = [
    { calls: [read("src/sum.ts"), bash("npx vitest run")], usage },
    { calls: [edit("src/sum.ts")], usage },
    { text: "Done.", usage },
  ];
  if (!sentBack) return answers[index] ?? { text: "Done.", usage };
  return request.messages.at(-1)?.role === "tool"
    ? { text: "Done, and tested.", usage }
    : { calls: [bash("npx vitest run")], usage };
};

/** Never learns: only a turn without tools makes it write a text. */
const stubborn = ({ toolChoice }: SeenRequest, index: number): ScriptedAnswer =>
  toolChoice === "none" || index >= 24
    ? { text: "I do not understand the file.", usage }
    : { calls: [read("src/sum.ts")], usage };

interface PlayResult {
  readonly text: string;
  readonly made: readonly string[];
  readonly requests: readonly SeenRequest[];
  readonly events: readonly RunEvent[];
  readonly summary: RunSummary;
  readonly problems: readonly unknown[];
}

interface PlayInput {
  readonly agent: Pick<ReactingAgent, "script"> & {
    readonly answers?: readonly ScriptedAnswer[];
    readonly stream?: boolean;
  };
  readonly run: CodingRunOptions;
  readonly store?: RunStore;
}

/** Plays an agent on a host, with the whole default set in the run and a store behind it. */
async function play(
  harness: ReactingHarness,
  { agent: { answers = [], stream = false, ...agent }, run: options, store }: PlayInput,
): Promise<PlayResult> {
  const run = codingRun({ id: "run", ...options });
  const memory = createMemoryStore();
  const problems: unknown[] = [];
  const stored = storeRun(run, store ?? memory, { onError: (problem) => problems.push(problem) });
  const events: RunEvent[] = [];
  run.subscribe((step) => events.push(...step));
  const { tools, made } = toyProject();
  const host = await harness.start({
    prompt: "sum(2, 3) gives -1. Fix it.",
    model: "m",
    models: {},
    answers,
    tools,
    stream,
    ...agent,
  });
  try {
    const text = await trackRun(run, () => host.invoke(run));
    await stored.close();
    return {
      text,
      made,
      requests: host.requests(),
      events,
      summary: summarizeRun(store === undefined ? await readRun(memory, run.id) : events),
      problems,
    };
  } finally {
    await host.close?.();
  }
}

function isOurs({ text }: SeenMessage): boolean {
  return text.startsWith("<phasekit>");
}

/** The roles of a conversation, with ours marked. */
function shapeOf(request: SeenRequest | undefined): string | undefined {
  return request?.messages.map((message) => (isOurs(message) ? "ours" : message.role)).join(" ");
}

const ofType = <K extends RunEvent["type"]>(events: readonly RunEvent[], type: K) =>
  events.filter((event): event is Extract<RunEvent, { type: K }> => event.type === type);

/**
 * Tests an adapter together with the packages it knows nothing of: the default set of a coding run, over the wire
 * of the real host. Runs on vitest.
 */
export function describeCodingRuns(harness: ReactingHarness): void {
  const canStream = harness.cannot?.includes("stream") !== true;

  describe(`a coding run on ${harness.name}`, () => {
    it.each([{ stream: false }, ...(canStream ? [{ stream: true }] : [])])(
      "says once that it explores too long, after all results of that turn (stream: $stream)",
      async ({ stream }) => {
        const { requests, events, made } = await play(harness, {
          agent: { answers: explorer, stream },
          // The files of the toy project say nothing new, which is a stall too.
          run: { mode: "nudge", without: ["stall"] },
        });
        const nudged = requests.findIndex(({ messages }) => messages.some(isOurs));
        // Ten files were read in nine turns: the tenth request is the first that says so, at its end.
        expect(nudged).toBe(9);
        expect(shapeOf(requests[9])).toBe(`user ${"assistant tool ".repeat(8)}assistant tool tool ours`);
        expect(requests[9]?.messages.at(-1)?.text).toContain("You have read 10 files in 9 rounds");
        for (const [index, request] of requests.entries()) {
          expect(request.messages.filter(isOurs)).toHaveLength(index < 9 ? 0 : 1);
          const before = requests[index - 1]?.messages ?? [];
          expect(request.messages.slice(0, before.length)).toEqual(before);
        }
        expect(ofType(events, "nudge.sent")).toMatchObject([{ by: "saturation", applied: true }]);
        expect(made).toHaveLength(13);
      },
    );

    it("says nothing to the same run in observe mode, and the log has what it would have said", async () => {
      const { requests, events, text } = await play(harness, {
        agent: { answers: explorer },
        run: { mode: "observe", without: ["stall"] },
      });
      expect(requests.flatMap(({ messages }) => messages.filter(isOurs))).toEqual([]);
      expect(ofType(events, "nudge.sent")).toMatchObject([{ by: "saturation", applied: false }]);
      expect(text).toBe("Done.");
    });

    it("refuses a repeating run and wraps it up in gate mode, with every call answered", async () => {
      const { requests, events, made, text, summary } = await play(harness, {
        agent: { script: stubborn },
        run: { mode: "gate" },
      });
      const asked = ofType(events, "tool.requested").length;
      const refused = ofType(events, "tool.refused").filter(({ applied }) => applied).length;
      expect(refused).toBeGreaterThan(0);
      expect(made).toHaveLength(asked - refused);
      // Nudged after the third, refused after the fifth, and the loop is over by the eighth turn.
      expect([made.length, requests.length]).toEqual([5, 9]);
      // The refusal is sent as the result of its call, and the last turn has no tools.
      expect(requests.at(-1)?.messages.filter(({ role }) => role === "tool")).toHaveLength(asked);
      expect(requests.filter(({ toolChoice }) => toolChoice === "none")).toHaveLength(1);
      expect(requests.at(-1)?.toolChoice).toBe("none");
      expect(shapeOf(requests.at(-1))).toMatch(/ tool ours$/);
      expect(requests.at(-1)?.messages.at(-1)?.text).toContain("This is the last turn. Use no tools");
      expect(text).toBe("I do not understand the file.");
      expect(summary).toMatchObject({ reason: "aborted_stagnation" });
      expect(summary.phases.at(-1)).toMatchObject({
        success: false,
        refusals: { calls: refused },
        lastStagnation: { kind: "stall" },
      });
    });

    it("lets the same run continue to the last call in observe mode", async () => {
      const { made, requests } = await play(harness, { agent: { script: stubborn }, run: { mode: "observe" } });
      expect([made.length, requests.length]).toEqual([24, 25]);
      expect(requests.at(-1)?.messages.some(isOurs)).toBe(false);
    });

    it("sends a done without tests back, and accepts it after them", async () => {
      const { requests, events, made, text, summary } = await play(harness, {
        agent: { script: hasty },
        run: { mode: "gate" },
      });
      expect(text).toBe("Done, and tested.");
      expect(made).toEqual(["Read src/sum.ts", "Bash npx vitest run", "Edit src/sum.ts", "Bash npx vitest run"]);
      expect(ofType(events, "finish.vetoed")).toMatchObject([{ gate: "tests-fresh", applied: true }]);
      expect(shapeOf(requests.at(-1))).toBe("user assistant tool tool assistant tool assistant ours assistant tool");
      expect(summary).toMatchObject({ reason: "done", verified: true });
    });

    it("accepts the same done in nudge mode, unverified", async () => {
      const { text, summary, requests } = await play(harness, { agent: { script: hasty }, run: { mode: "nudge" } });
      expect([text, summary.reason, requests.length]).toEqual(["Done.", "done_unverified", 3]);
    });

    it("brings usage and cost signals into the record of each phase", async () => {
      const { summary } = await play(harness, { agent: { script: hasty }, run: { mode: "gate" } });
      const rows = summary.phases.map(({ entry, aggregates: { total }, costSignals }) => ({
        entry,
        calls: total.usage.modelCalls,
        input: total.usage.inputTokens,
        cached: total.usage.cachedInputTokens,
        output: total.usage.outputTokens,
        ...costSignals,
      }));
      const costs = (calls: number) => ({
        calls,
        input: calls * 1000,
        cached: calls * 800,
        output: calls * 50,
        cacheHitRate: 0.8,
        failureRate: 0,
        inputTokensTotal: calls * 1000,
        inputTokensCached: calls * 800,
      });
      // An edit takes effect when it has landed, so the turn that made it belongs to the phase before it.
      expect(rows).toEqual([
        { entry: "exploring#1", ...costs(2) },
        { entry: "acting#1", ...costs(2) },
        { entry: "verifying#1", ...costs(1) },
      ]);
      expect(summary.usage).toMatchObject({
        inputTokens: 5000,
        cachedInputTokens: 4000,
        outputTokens: 250,
        modelCalls: 5,
        unknownCalls: 0,
      });
    });

    it("records missing usage as unknown, not as zero", async () => {
      const { summary } = await play(harness, {
        agent: { answers: [{ calls: [read("a.ts")] }, { text: "It adds." }] },
        run: {},
      });
      expect(summary.usage).toMatchObject({ modelCalls: 2, unknownCalls: 2 });
      expect(summary.usage.inputTokens).toBeUndefined();
    });

    it("hides a throwing policy and a throwing store from the host", async () => {
      const fail = (): never => {
        throw new Error("broken");
      };
      const broken = definePolicy({
        name: "broken",
        observe: { "message.sent": fail },
        decide: { "turn.started": fail, "tool.requested": fail, "tool.finished": fail, "finish.requested": fail },
      });
      const store: RunStore = { append: fail, read: fail, list: fail };
      const agent = { script: hasty };
      const healthy = await play(harness, { agent, run: { mode: "gate" } });
      const sick = await play(harness, { agent, run: { mode: "gate", policies: [broken] }, store });
      expect(sick.requests).toEqual(healthy.requests);
      expect([sick.text, sick.made]).toEqual([healthy.text, healthy.made]);
      expect(ofType(sick.events, "policy.failed").length).toBeGreaterThan(0);
      expect(sick.problems).toMatchObject([{ message: "broken" }]);
    });
  });
}
