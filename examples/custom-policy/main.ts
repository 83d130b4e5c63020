// A graph and two policies of your own, on generateText. Set OPENAI_API_KEY to use a real model.
import assert from "node:assert/strict";
import {
  createRun,
  definePhaseGraph,
  definePolicy,
  inPhase,
  refuse,
  type RunEvent,
  stallReminder,
  trackRun,
  transition,
} from "@phasekit/core";
import { withPhases } from "@phasekit/ai-sdk";
import { generateText, stepCountIs, tool } from "ai";
import { z } from "zod";
import { connect } from "./scripted-model.ts";

const support = definePhaseGraph({
  name: "support",
  initial: "triage",
  phases: {
    triage: { next: ["answer"], purpose: "Find out what the customer needs." },
    answer: { next: [], final: true, purpose: "Solve it, or say who will." },
  },
});

/** Refunds are made by people when they are large. */
const smallRefunds = definePolicy({
  name: "small-refunds",
  decide: {
    "tool.requested": (_run, _state, { tool, input }) => {
      const { amount = 0 } = (input ?? {}) as { readonly amount?: number };
      return tool === "refund" && amount > 50
        ? refuse("Refunds over 50 are made by a person. Offer to pass it on.")
        : undefined;
    },
  },
});

const triaged = definePolicy({
  name: "triaged",
  mentions: ["triage", "answer"],
  decide: {
    "tool.finished": (run, _state, { tool }) =>
      tool === "lookup_order" && run.isIn("triage")
        ? transition("answer", { reason: "the order is known" })
        : undefined,
  },
});

const tools = {
  lookup_order: tool({ inputSchema: z.object({ order: z.string() }), execute: ({ order }) => ({ order, paid: 80 }) }),
  refund: tool({
    inputSchema: z.object({ order: z.string(), amount: z.number() }),
    execute: ({ amount }) => `refunded ${amount}`,
  }),
};

const { model, close } = await connect();
const run = createRun({
  graph: support,
  mode: "gate",
  policies: [smallRefunds, triaged, inPhase("triage", stallReminder({ afterTurns: 4 }))],
});
const events: RunEvent[] = [];
run.subscribe((step) => events.push(...step));

const prompt = "Order 7 never came. I want my money back.";
const { text } = await trackRun(run, () =>
  generateText(withPhases(run, { model, tools, prompt, stopWhen: stepCountIs(10) })),
);
await close();

const refused = events.flatMap((event) => (event.type === "tool.refused" && event.applied ? [event.text] : []));
console.log(text, { refused, outcome: run.outcome });
if (process.env["OPENAI_API_KEY"] === undefined)
  assert.deepEqual(refused, ["Refunds over 50 are made by a person. Offer to pass it on."]);
assert.equal(run.outcome?.phase, "answer");
