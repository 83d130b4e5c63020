import { parseTranscript } from "../src/index.ts";
import {
  createRun,
  definePolicy,
  isHostEvent,
  nudge,
  type Policy,
  type Run,
  type RunEvent,
  veto,
  playRun,
} from "@phasekit/core";
import { eventsToLines, manualClock } from "@phasekit/core/testing";
import { type ScriptedAnswer, startOpenAiServer } from "@phasekit/tooling/openai-server";
import { describe, expect, it } from "vitest";
import { aiSdk, chat, langchain, responses, type SavingHost } from "./saved-messages.ts";

const read = (path: string) => ({ tool: "read_file", input: { path } });
const usage = { input: 10, output: 2 };

const scenarios: readonly {
  readonly name: string;
  readonly answers: readonly ScriptedAnswer[];
  readonly policies?: readonly Policy[];
}[] = [
  { name: "an answer", answers: [{ text: "Hello.", usage }] },
  {
    name: "calls in parallel, one of which fails",
    answers: [
      { text: "I look.", calls: [read("a.ts"), { tool: "broken_tool", input: {} }, read("b.ts")], usage },
      { text: "Done.", usage },
    ],
  },
  {
    name: "a result that is an object with an exit code",
    answers: [{ calls: [{ tool: "run_tests", input: {} }] }, { calls: [read("a.ts")] }, { text: "Done." }],
  },
  {
    name: "a finish that was sent back",
    answers: [{ text: "Done." }, { calls: [read("a.ts")] }, { text: "Really done." }],
    policies: [
      definePolicy({
        name: "look-first",
        decide: {
          "finish.requested": (run) =>
            run.toolCalls === 0 ? veto("Look at the file first.", { gate: "looked" }) : undefined,
        },
      }),
    ],
  },
  {
    name: "a nudge",
    answers: [{ calls: [read("a.ts")] }, { calls: [read("b.ts")] }, { text: "Done." }],
    policies: [
      definePolicy({
        name: "hurry",
        decide: { "turn.started": (run) => (run.turn === 2 ? nudge("Hurry.") : undefined) },
      }),
    ],
  },
];

const hosts: readonly { readonly name: string; readonly host: SavingHost; readonly format: string }[] = [
  { name: "openai chat", host: chat, format: "openai-messages" },
  { name: "openai responses", host: responses, format: "openai-responses" },
  { name: "ai-sdk", host: aiSdk, format: "ai-sdk-messages" },
  { name: "langchain", host: langchain, format: "langchain-messages" },
];

/** Fields that messages do not have, in addition to those never compared between adapters. */
const ignore = ["usage", "finishReason", "inRequest"];

describe.each(hosts)(
  "$name: a live run and its saved messages read back give the same host events",
  ({ host, format }) => {
    it.each(scenarios)("$name", async ({ answers, policies = [] }) => {
      const server = await startOpenAiServer(answers);
      try {
        const live = createRun<string>({ id: "live", clock: manualClock({ step: 1 }).now, mode: "gate", policies });
        const events = eventsOf(live);
        const saved: unknown = JSON.parse(JSON.stringify(await host(live, server.url)));
        live.end();
        // A single text is a list of messages that several formats share.
        const { runs, report } = parseTranscript(saved, answers.length === 1 ? { format } : {});
        expect(report).toMatchObject({ format, unknown: {}, broken: {}, orphans: 0, unanswered: 0 });
        expect(runs).toHaveLength(1);
        const again: RunEvent[] = [];
        playRun(runs[0]!, { mode: "gate", subscribe: (step) => again.push(...step) });
        expect(runs[0]?.task?.text).toBe("Fix the sum.");
        expect(linesOf(again)).toEqual(linesOf(events));
        expect(linesOf(events).length).toBeGreaterThan(3);
      } finally {
        await server.close();
      }
    });
  },
);

function linesOf(events: readonly RunEvent[]): readonly string[] {
  return eventsToLines(events.filter(isHostEvent), { ignore });
}

function eventsOf(run: Run): readonly RunEvent[] {
  const events: RunEvent[] = [];
  run.subscribe((step) => events.push(...step));
  return events;
}
