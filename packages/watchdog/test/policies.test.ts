import { type NewFact, nameTableInterpreter, type Policy } from "@phasekit/core";
import { buildEvents, describePolicy } from "@phasekit/core/testing";
import { describe, it } from "vitest";
import * as watchdogPackage from "../src/index.ts";
import { fingerprints } from "../src/index.ts";

const calls: readonly NewFact[] = [
  { type: "message.received", text: "do it" },
  ...Array.from({ length: 9 }, (_, n): readonly NewFact[] => [
    { type: "turn.started" },
    { type: "model.answered" },
    { type: "message.sent", text: "I will run the tests now." },
    { type: "tool.requested", tool: "bash", call: `a${String(n)}`, input: { command: "make" } },
    { type: "tool.finished", call: `a${String(n)}`, outcome: "error", output: "boom" },
    { type: "tool.finished", tool: "edit", call: `b${String(n)}`, input: { path: "a.ts", old: n % 2 === 0 ? "1" : "2", new: n % 2 === 0 ? "2" : "1" }, outcome: "ok", output: "ok" },
    { type: "tool.finished", tool: "job_status", call: `c${String(n)}`, input: { id: 1 }, outcome: "ok", output: "running" },
    { type: "tool.finished", tool: "read_file", call: `d${String(n)}`, input: { path: "a.ts", offset: 1, limit: 50 - n }, outcome: "ok", output: "text" },
    { type: "validation.failed", path: "$.a", expected: "text", tool: "bash" },
    { type: "workspace.observed", hash: "h" },
    { type: "quota.observed", remaining: 9 - n, limit: 100 },
    { type: "model.failed", inBody: true, code: "502" },
    { type: "child.progressed", child: `w${String(n)}`, toolCalls: 1, fingerprints: ["read a #1.2"] },
    { type: "question.asked", question: "Which port should the server use?" },
  ]).flat(),
];
// Facts with their meaning: describePolicy makes runs with core's own interpreter, which knows no fingerprints.
const facts = buildEvents(calls, { interpret: [nameTableInterpreter(), fingerprints()] }).filter(({ type }) => type !== "run.started") as unknown as readonly NewFact[];

const factories = [
  "repeatedCall", "repeatedFailure", "failingTool", "failureRate", "callCycle", "interleavedRepeat", "sameAnswer", "unmovedPage", "nearRepeat", "endlessCall", "unchangedPolling", "editFlipFlop",
  "redTestLoop", "readOnlyChurn", "backToExploring", "rereadRange", "stagnation", "cumulativeLoop", "textOnlyTurns", "announcedNotDone", "repeatedMessage", "repeatedQuestion", "chanting",
  "quotaFloor", "upstreamErrors", "callTimeout", "silence", "staleWorkspace", "crossAgentLoop", "escalation", "activityLog", "review", "reminders", "validationRetries", "circuitBreaker",
] as const;

describe("every policy keeps what policies promise", () => {
  for (const name of factories) {
    const make = watchdogPackage[name];
    describePolicy(() => make(), { describe, it, facts });
  }
  describePolicy(() => watchdogPackage.requiredCall({ tool: "finish" }), { describe, it, facts });
  describePolicy(() => watchdogPackage.watchdog()[0] as Policy, { describe, it, facts });
});
