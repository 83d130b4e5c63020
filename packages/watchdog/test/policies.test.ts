import { type NewEvent, nameTableInterpreter, type Policy } from "@phasekit/core";
import { buildEvents, describePolicy } from "@phasekit/core/testing";
import { reading } from "@phasekit/reading";
import { describe, it } from "vitest";
import {
  circuitBreaker,
  escalation,
  reminders,
  requiredCall,
  budgetReview,
  validationRetries,
  watchdog,
} from "../src/index.ts";

const calls: readonly NewEvent[] = [
  { type: "message.received", text: "do it" },
  ...Array.from({ length: 9 }, (_, n): readonly NewEvent[] => [
    { type: "turn.started" },
    { type: "model.answered" },
    { type: "message.sent", text: "I will run the tests now." },
    { type: "tool.requested", tool: "bash", call: `a${n}`, input: { command: "make" } },
    { type: "tool.finished", call: `a${n}`, outcome: "error", output: "boom" },
    {
      type: "tool.finished",
      tool: "job_status",
      call: `c${n}`,
      input: { id: 1 },
      outcome: "ok",
      output: "running",
    },
    { type: "validation.failed", path: "$.a", expected: "text", tool: "bash" },
    { type: "workspace.observed", hash: "h" },
    { type: "quota.observed", remaining: 9 - n, limit: 100 },
    { type: "model.failed", inBody: true, code: "502" },
    { type: "child.progressed", child: `w${n}`, toolCalls: 1, fingerprints: ["read a #1.2"] },
    { type: "question.asked", question: "Which port should the server use?" },
  ]).flat(),
];
// Events with their meaning: describePolicy creates runs with core's own interpreter.
const facts = buildEvents(calls, { interpret: [nameTableInterpreter(), reading()] }).filter(
  ({ type }) => type !== "run.started",
) as unknown as readonly NewEvent[];

const policies = (): readonly Policy[] => [
  ...watchdog(),
  escalation(),
  budgetReview(),
  reminders(),
  validationRetries(),
  circuitBreaker(),
  requiredCall({ tool: "finish" }),
];

describe("every policy keeps what policies promise", () => {
  for (const [index] of policies().entries())
    describePolicy(() => policies()[index] as Policy, { describe, it, events: facts });
});
