import { conversationPhases, type NewEvent } from "@phasekit/core";
import { describePolicy } from "@phasekit/core/testing";
import { describe, it } from "vitest";
import {
  agentFinished,
  cycleNoted,
  lessonLearned,
  roundCancelled,
  roundOpened,
  routingCorrected,
} from "./conversation-events.ts";
import { conversationPolicy } from "./conversation-policy.ts";
import { cyclePolicy } from "../phases/cycle-policy.ts";

const opened = (n: number, phase = "chat", agents: readonly string[] = ["a", "b"]): NewEvent =>
  roundOpened.record({
    round: `round-${String(n)}`,
    agents,
    phase,
    entry: `${phase}#1`,
    reason: "x",
    by: "router",
    timeoutMs: 50,
  });
const finished = (n: number, agent: string, text = `text ${String(n)}`): NewEvent =>
  agentFinished.record({
    round: `round-${String(n)}`,
    agent,
    outcome: "done",
    text,
    summary: "s",
    wants: "plan",
    question: "?",
  });

const events: readonly NewEvent[] = [
  { type: "message.received", text: "Add it", from: "user" },
  opened(1),
  finished(1, "a"),
  finished(1, "a"),
  finished(1, "c"),
  finished(1, "b"),
  finished(1, "b"),
  { type: "move.requested", do: "transition", to: "chat", by: "agent", agent: "a", summary: "handed" },
  { type: "move.requested", do: "transition", to: "execute", by: "agent", agent: "a", why: "go" },
  { type: "move.requested", do: "transition", to: "reflection", by: "agent", agent: "a" },
  opened(2, "execute"),
  { type: "clock.ticked", at: 10_000 },
  finished(2, "a"),
  opened(3, "execute"),
  roundCancelled.record({ round: "round-3", why: "no" }),
  routingCorrected.record({ why: "gate", feedback: "no", attempt: 0 }),
  lessonLearned.record({ agent: "a", phase: "chat", text: "t", from: "routing" }),
  cycleNoted.record({ key: "k", value: 1 }),
  ...["verification", "chores", "reflection"].map((to): NewEvent => ({
    type: "move.requested",
    do: "transition",
    to,
    by: "user",
  })),
  opened(4, "reflection"),
  finished(4, "a"),
  { type: "finish.requested" },
  finished(4, "b"),
  { type: "finish.requested" },
  { type: "move.requested", do: "transition", to: "chat", by: "user" },
  opened(5),
  { type: "move.requested", do: "stop", by: "user" },
];

/** A conversation that never ends, and never says the same. */
const endless = (n: number): NewEvent => {
  const round = Math.floor(n / 4) + 1;
  return [
    { type: "message.received", text: `message ${String(n)}`, from: "user" } as const,
    opened(round),
    finished(round, "a"),
    finished(round, "b"),
  ][n % 4]!;
};

describePolicy(conversationPolicy, { describe, it, graph: conversationPhases, events, endless });
describePolicy(() => cyclePolicy({ reflection: "reflection" }), {
  describe,
  it,
  graph: conversationPhases,
  events,
  endless: (n) => cycleNoted.record({ key: `k${String(n)}`, value: n }),
});
