import { describe, expect, it } from "vitest";
import { scripted } from "./__fixtures__/scripted-conversation.ts";
import { roundOpened, routingCorrected } from "./conversation/conversation-events.ts";

const at = (phase: string, ...agents: readonly string[]) => ({
  agents: agents.length === 0 ? ["executor"] : agents,
  phase,
  reason: `to ${phase}`,
});
const cycle = [at("execute", "planner", "executor"), at("verification"), at("chores")];

describe("moves", () => {
  it("a move keeps its ends, message, actor, reason and time", async () => {
    const { conversation } = scripted({
      decisions: [at("plan", "planner"), at("execute")],
      routerIdentity: { id: "npub1", name: "Orchestrator" },
    });
    await conversation.send("Add it");
    expect(conversation.state.moves[1]).toEqual({
      from: "plan",
      to: "execute",
      at: 1000,
      seq: expect.any(Number) as number,
      agent: "npub1",
      name: "Orchestrator",
      reason: "to execute",
      message: "planner: planner did it",
      summary: "planner: planner is done",
    });
  });

  it("a hand-off inside one phase is recorded only if there is something to hand over", async () => {
    const { conversation } = scripted({
      decisions: [
        { agents: ["planner"], reason: "1" },
        { agents: ["executor"], reason: "2" },
        { agents: ["executor"], reason: "3" },
      ],
      work: { executor: () => "without a summary" },
    });
    await conversation.send("Add it");
    expect(conversation.state.moves.map(({ from, to, summary }) => [from, to, from === to, summary])).toEqual([
      ["chat", "chat", true, "planner: planner is done"],
    ]);
  });

  it("the first wish of an agent that the graph allows is applied, the others are stale", async () => {
    const { conversation, of } = scripted({
      decisions: [{ agents: ["planner", "executor", "project-manager"], reason: "who first" }],
      work: {
        planner: () => ({ text: "p", phase: "reflection" }),
        executor: () => ({ text: "e", summary: "ready", phase: "execute" }),
        "project-manager": () => ({ text: "m", phase: "plan" }),
      },
    });
    await conversation.proceed();
    await conversation.send("Add it");
    expect(conversation.state.moves[0]).toMatchObject({
      from: "chat",
      to: "execute",
      agent: "executor",
      message: "e",
      summary: "ready",
    });
    expect(of("phase.refused").slice(0, 2)).toMatchObject([
      { to: "reflection", why: "no-edge" },
      { to: "plan", why: "stale" },
    ]);
    expect(conversation.state.wishes).toEqual([]);
  });

  it("a move by an agent has its id and name", async () => {
    const { conversation } = scripted({
      agents: [
        {
          name: "planner",
          id: "npub7",
          title: "The Planner",
          work: ({ phase }) => (phase === "chat" ? { text: "p", phase: "plan" } : { text: "?", question: "?" }),
        },
      ],
      decisions: [
        { agents: ["planner"], reason: "1" },
        { agents: ["planner"], reason: "2" },
      ],
    });
    await conversation.send("go");
    expect(conversation.state.moves).toMatchObject([
      { from: "chat", to: "plan", agent: "npub7", name: "The Planner", message: "p", reason: "planner has finished." },
    ]);
    expect(conversation.state.wishes).toEqual([]);
  });

  it("the log keeps every move", async () => {
    const decisions = Array.from({ length: 450 }, (_, n) => at(n % 2 === 0 ? "brainstorm" : "chat", "planner"));
    let n = 0;
    const { conversation, of } = scripted({
      decisions,
      roundCaps: { absolute: 1000 },
      work: { planner: () => String((n += 1)) },
    });
    await conversation.send("go");
    expect(of("phase.transition")).toHaveLength(450);
    expect(conversation.state.moves).toHaveLength(200);
    expect(conversation.state.rounds).toHaveLength(200);
    expect(conversation.state.roundCount).toBe(450);
  });
});

describe("skip", () => {
  it("skip is for users and judges, needs a reason, and warns what is no longer ensured", async () => {
    const { conversation } = scripted({
      decisions: [at("execute"), () => ({ agents: ["executor"], phase: "chores", reason: "quick" }), at("reflection")],
      work: { executor: ({ phase }) => (phase === "execute" ? { text: "x", question: "Quick?" } : "y") },
    });
    await conversation.send("Add it");
    expect(conversation.skip("verification", { by: "agent", why: "boring" })).toEqual({
      skipped: false,
      text: 'Only a user or a judge may skip "verification".',
    });
    expect(conversation.skip("verification", { by: "user", why: " " })).toEqual({
      skipped: false,
      text: 'Skipping "verification" needs a reason.',
    });
    expect(conversation.skip("verification", { by: "user", why: "The person wants it quickly." })).toEqual({
      skipped: true,
      text: 'Phase "verification" is skipped. Not ensured: The work is verified, or its issues are known.',
    });
    expect(await conversation.send("Yes, quick")).toMatchObject({ status: "ended", outcome: { reason: "done" } });
    expect(conversation.coverage().missing).toEqual(["brainstorm", "plan", "verification"]);
  });

  it("a router cannot skip a phase by going around it", async () => {
    const { conversation, dataOf } = scripted({
      decisions: [at("execute"), at("chores"), at("verification"), at("reflection"), at("chores"), at("reflection")],
    });
    expect(await conversation.send("Add it")).toMatchObject({ outcome: { reason: "done", verified: true } });
    expect(dataOf(routingCorrected).map(({ why }) => why)).toEqual(["refused-move", "refused-move"]);
  });
});

describe("reflection", () => {
  it("reflection is complete when every participant has reflected", async () => {
    const { conversation, dataOf, requests } = scripted({
      decisions: [
        ...cycle,
        at("reflection", "executor"),
        { agents: ["END"], reason: "done?" },
        at("chat", "planner"),
        { agents: ["planner"], reason: "then" },
      ],
    });
    expect(await conversation.send("Add it")).toMatchObject({ outcome: { reason: "done", verified: true } });
    expect(requests.map(({ feedback }) => feedback).filter(Boolean)).toMatchInlineSnapshot(`
      [
        "The conversation cannot end yet. These agents took part and have not reflected: planner.",
        "The phase "reflection" is complete when every participant has reflected. Not yet: planner.",
      ]
    `);
    expect(
      dataOf(roundOpened)
        .slice(3)
        .map(({ agents }) => agents),
    ).toEqual([["executor"], ["planner"]]);
    expect([...conversation.cycle.reflections.keys()]).toEqual(["executor", "planner"]);
  });

  it("each agent reflects once: agents that have reflected are left out of the round", async () => {
    const { conversation, dataOf, requests } = scripted({
      decisions: [
        ...cycle,
        at("reflection", "executor"),
        { agents: ["executor", "planner"], reason: "again" },
        { agents: ["executor"], reason: "once more" },
      ],
    });
    await conversation.send("Add it");
    expect(
      dataOf(roundOpened)
        .slice(3)
        .map(({ agents }) => agents),
    ).toEqual([["executor"], ["planner"]]);
    expect(requests.at(-1)?.feedback).toBe(
      "Every agent you named has already reflected. No agent is left to reflect: answer END, or start a new cycle.",
    );
  });

  it("an agent that failed to reflect twice is excused", async () => {
    const { conversation, dataOf } = scripted({
      decisions: [
        ...cycle,
        at("reflection", "executor", "planner"),
        { agents: ["planner"], reason: "once more" },
        { agents: ["END"], reason: "enough" },
      ],
      work: {
        planner: ({ phase }) => {
          if (phase === "reflection") throw new Error("broken");
          return "planned";
        },
      },
    });
    expect(await conversation.send("Add it")).toMatchObject({ outcome: { reason: "done", verified: true } });
    expect(dataOf(roundOpened)).toHaveLength(5);
  });

  it("a move back to chat begins a cycle with empty state", async () => {
    const { conversation } = scripted({
      decisions: [
        ...cycle,
        at("reflection", "executor", "planner"),
        at("chat", "project-manager"),
        at("execute"),
        at("verification"),
        at("chores"),
        at("reflection", "executor", "project-manager"),
      ],
      work: {
        "project-manager": ({ phase }) => (phase === "chat" ? { text: "next?", question: "What next?" } : "reflected"),
      },
    });
    conversation.note("readFiles", ["a.ts"]);
    const waiting = conversation.send("Add it");
    expect(conversation.cycle.notes.get("readFiles")).toEqual(["a.ts"]);
    expect(await waiting).toMatchObject({ status: "waiting", phase: "chat" });
    expect(conversation.cycle.notes.size).toBe(0);
    expect(conversation.cycle.reflections.size).toBe(0);
    expect(conversation.cycle.participants).toEqual(["project-manager"]);
    expect(await conversation.send("More")).toMatchObject({
      status: "ended",
      outcome: { reason: "done", verified: true },
    });
  });

  it("a move to chat in the middle of a cycle keeps its state", async () => {
    const { conversation } = scripted({
      decisions: [at("execute"), at("chat", "planner")],
      work: { planner: () => ({ text: "?", question: "?" }) },
    });
    conversation.note("readFiles", ["a.ts"]);
    await conversation.send("Add it");
    expect(conversation.phase).toBe("chat");
    expect(conversation.cycle.notes.get("readFiles")).toEqual(["a.ts"]);
    expect(conversation.cycle.participants).toEqual(["executor", "planner"]);
  });
});
