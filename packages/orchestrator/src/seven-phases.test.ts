import { describe, expect, it } from "vitest";
import type { RunEvent } from "@phasekit/core";
import { routingCorrected } from "./conversation/conversation-events.ts";
import {
  type AgentContext,
  type AgentSpec,
  type Conversation,
  createConversation,
  recoverConversation,
  sevenPhases,
} from "./index.ts";

const team = (seen: string[] = []): readonly AgentSpec[] =>
  ["project-manager", "planner", "executor"].map((name) => ({
    name,
    work: ({ phase }: AgentContext) => {
      seen.push(`${name} in ${phase}`);
      return { text: `${name} worked in ${phase}`, summary: `${phase} is done`, passed: true };
    },
  }));
const visits = ({ state }: Conversation): readonly string[] => state.visits.map(({ phase }) => phase);

describe("sevenPhases", () => {
  it("sevenPhases without a model acts, visits the quality phases, and lets participants reflect", async () => {
    const seen: string[] = [];
    const conversation = createConversation(sevenPhases({ agents: team(seen) }));
    expect(await conversation.send("Add a login page.")).toMatchObject({
      status: "ended",
      outcome: { reason: "done", verified: true },
    });
    expect(visits(conversation)).toEqual(["chat", "execute", "verification", "chores", "reflection"]);
    expect(seen).toEqual([
      "executor in execute",
      "executor in verification",
      "executor in chores",
      "executor in reflection",
    ]);
    expect(conversation.state.moves).toHaveLength(4);
    for (const move of conversation.state.moves)
      expect(Object.keys(move)).toEqual(
        expect.arrayContaining(["from", "to", "message", "at", "agent", "name", "reason"]),
      );
  });

  it("sevenPhases asks one model for the initial phase and for every routing, with the run and a signal", async () => {
    const prompts: string[] = [];
    const conversation = createConversation(
      sevenPhases({
        agents: team(),
        ask: (prompt, { run, signal }) => {
          prompts.push(prompt);
          expect([run.id, signal.aborted]).toEqual([conversation.id, false]);
          // The model would like to end after the work: it is corrected, then the fallback takes over.
          return (
            [
              '{"phase": "plan", "reason": "It is complex."}',
              '{"agents": ["planner"], "reason": "plan it"}',
              '{"agents": ["executor"], "phase": "execute", "reason": "do it"}',
            ][prompts.length - 1] ?? '{"agents": ["END"], "reason": "done"}'
          );
        },
      }),
    );
    const log: RunEvent[] = [];
    conversation.run.subscribe((step) => log.push(...step));
    expect(await conversation.send("Rebuild the billing.")).toMatchObject({ outcome: { verified: true } });
    expect(prompts[0]).toContain("In which phase should the work on this request begin?");
    expect(prompts[1]).toContain("You decide who works next.");
    expect(visits(conversation)).toEqual(["chat", "plan", "execute", "verification", "chores", "reflection"]);
    expect(new Set(log.filter(routingCorrected.is).map(({ data }) => data.why))).toEqual(new Set(["gate"]));
    expect(Array.from(conversation.cycle.reflections.keys())).toEqual(["planner", "executor"]);
  });

  it("sevenPhases takes every option of a conversation, and its own router and initial phase", async () => {
    const conversation = createConversation(
      sevenPhases({
        id: "mine",
        agents: team(),
        initialPhase: "brainstorm",
        router: ({ phase, lastRound }) =>
          lastRound === undefined
            ? { agents: ["project-manager"], reason: `ideas in ${phase}` }
            : { agents: ["END"], reason: "enough" },
      }),
    );
    expect(await conversation.send("Names?")).toMatchObject({ phase: "brainstorm", outcome: { reason: "done" } });
    expect(conversation.id).toBe("mine");
  });

  it("the options of sevenPhases restore a conversation too", async () => {
    const options = sevenPhases({
      agents: [{ name: "executor", work: () => ({ text: "?", question: "Shall I?" }) }],
    });
    const conversation = createConversation(options);
    const log: RunEvent[] = [];
    conversation.run.subscribe((step) => log.push(...step));
    await conversation.send("Add it.");
    const again = recoverConversation(JSON.parse(JSON.stringify(log)) as unknown[], options).conversation;
    expect([again.phase, again.state.moves]).toEqual(["execute", conversation.state.moves]);
  });
});
