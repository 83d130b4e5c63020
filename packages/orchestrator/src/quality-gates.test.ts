import { describe, expect, it } from "vitest";
import { scripted } from "./__fixtures__/scripted-conversation.ts";
import { roundOpened, routingCorrected } from "./conversation-facts.ts";
import { isHandOff } from "./hand-off.ts";

const at = (phase: string, ...agents: readonly string[]) => ({ agents: agents.length === 0 ? ["executor"] : agents, phase, reason: `to ${phase}` });
const cycle = [at("execute", "planner", "executor"), at("verification"), at("chores")];

describe("records", () => {
  it("keep everything about a move", async () => {
    const { conversation } = scripted({ decisions: [at("plan", "planner"), at("execute")], routerIdentity: { id: "npub1", name: "Orchestrator" } });
    await conversation.send("Add it");
    expect(conversation.state.records[1]).toEqual({
      from: "plan", to: "execute", at: 1000, seq: expect.any(Number) as number, agent: "npub1", name: "Orchestrator",
      reason: "to execute", message: "planner: planner did it", summary: "planner: planner is done",
    });
  });

  it("inside one phase are hand-offs, and only written when there is something to hand over", async () => {
    const { conversation } = scripted({ decisions: [{ agents: ["planner"], reason: "1" }, { agents: ["executor"], reason: "2" }, { agents: ["executor"], reason: "3" }], work: { executor: () => "without a summary" } });
    await conversation.send("Add it");
    expect(conversation.state.records.map((record) => [record.from, record.to, isHandOff(record), record.summary])).toEqual([["chat", "chat", true, "planner: planner is done"]]);
  });

  it("come from agents, too: the first wish the graph allows is carried out, the others are stale", async () => {
    const { conversation, of } = scripted({
      decisions: [{ agents: ["planner", "executor", "project-manager"], reason: "who first" }],
      work: { planner: () => ({ text: "p", phase: "reflection" }), executor: () => ({ text: "e", summary: "ready", phase: "execute" }), "project-manager": () => ({ text: "m", phase: "plan" }) },
    });
    await conversation.proceed();
    await conversation.send("Add it");
    expect(conversation.state.records[0]).toMatchObject({ from: "chat", to: "execute", agent: "executor", message: "e", summary: "ready" });
    expect(of("phase.refused").slice(0, 2)).toMatchObject([{ to: "reflection", why: "no-edge" }, { to: "plan", why: "stale" }]);
    expect(conversation.state.wishes).toEqual([]);
  });

  it("of agents have their ids and names", async () => {
    const { conversation } = scripted({ agents: [{ name: "planner", id: "npub7", title: "The Planner", work: ({ phase }) => (phase === "chat" ? { text: "p", phase: "plan" } : { text: "?", question: "?" }) }], decisions: [{ agents: ["planner"], reason: "1" }, { agents: ["planner"], reason: "2" }] });
    await conversation.send("go");
    expect(conversation.state.records).toMatchObject([{ from: "chat", to: "plan", agent: "npub7", name: "The Planner", message: "p", reason: "planner has finished." }]);
    expect(conversation.state.wishes).toEqual([]);
  });

  it("are complete in the log, however many there are", async () => {
    const decisions = Array.from({ length: 450 }, (_, n) => at(n % 2 === 0 ? "brainstorm" : "chat", "planner"));
    let n = 0;
    const { conversation, of } = scripted({ decisions, roundCaps: { absolute: 1000 }, work: { planner: () => String(n += 1) } });
    await conversation.send("go");
    expect(of("phase.transition")).toHaveLength(450);
    expect(conversation.state.records).toHaveLength(200);
    expect(conversation.state.rounds).toHaveLength(200);
    expect(conversation.state.roundCount).toBe(450);
  });
});

describe("skipping", () => {
  it("a quality phase is for users and judges, with a reason, and warns what is lost", async () => {
    const { conversation } = scripted({ decisions: [at("execute"), () => ({ agents: ["executor"], phase: "chores", reason: "quick" }), at("reflection")], work: { executor: ({ phase }) => (phase === "execute" ? { text: "x", question: "Quick?" } : "y") } });
    await conversation.send("Add it");
    expect(conversation.skip("verification", { by: "agent", why: "boring" })).toEqual({ skipped: false, text: 'Only a user or a judge may skip "verification".' });
    expect(conversation.skip("verification", { by: "user", why: " " })).toEqual({ skipped: false, text: 'Skipping "verification" needs a reason.' });
    expect(conversation.skip("verification", { by: "user", why: "The person wants it quickly." })).toEqual({ skipped: true, text: 'Phase "verification" is skipped. Not ensured: The work is verified, or its issues are known.' });
    expect(await conversation.send("Yes, quick")).toMatchObject({ status: "ended", outcome: { reason: "done" } });
    expect(conversation.coverage().missing).toEqual(["brainstorm", "plan", "verification"]);
  });

  it("is nothing a router can do by going around", async () => {
    const { conversation, facts } = scripted({ decisions: [at("execute"), at("chores"), at("verification"), at("reflection"), at("chores"), at("reflection")] });
    expect(await conversation.send("Add it")).toMatchObject({ outcome: { reason: "done", verified: true } });
    expect(facts(routingCorrected).map(({ why }) => why)).toEqual(["refused-move", "refused-move"]);
  });
});

describe("reflection", () => {
  it("is complete when everybody who took part has reflected", async () => {
    const { conversation, facts, requests } = scripted({ decisions: [...cycle, at("reflection", "executor"), { agents: ["END"], reason: "done?" }, at("chat", "planner"), { agents: ["planner"], reason: "then" }] });
    expect(await conversation.send("Add it")).toMatchObject({ outcome: { reason: "done", verified: true } });
    expect(requests.map(({ feedback }) => feedback).filter(Boolean)).toMatchInlineSnapshot(`
      [
        "The conversation cannot end yet. These agents took part and have not reflected: planner.",
        "The phase "reflection" is complete when everybody who took part has reflected. Still to come: planner.",
      ]
    `);
    expect(facts(roundOpened).slice(3).map(({ agents }) => agents)).toEqual([["executor"], ["planner"]]);
    expect([...conversation.cycle.reflections.keys()]).toEqual(["executor", "planner"]);
  });

  it("is asked of each once: those who have reflected are left out of the round", async () => {
    const { conversation, facts, requests } = scripted({ decisions: [...cycle, at("reflection", "executor"), { agents: ["executor", "planner"], reason: "again" }, { agents: ["executor"], reason: "once more" }] });
    await conversation.send("Add it");
    expect(facts(roundOpened).slice(3).map(({ agents }) => agents)).toEqual([["executor"], ["planner"]]);
    expect(requests.at(-1)?.feedback).toBe("Everybody named has reflected already. Nobody is missing: END, or begin anew.");
  });

  it("does not wait for ever for an agent that cannot", async () => {
    const { conversation, facts } = scripted({
      decisions: [...cycle, at("reflection", "executor", "planner"), { agents: ["planner"], reason: "once more" }, { agents: ["END"], reason: "enough" }],
      work: { planner: ({ phase }) => { if (phase === "reflection") throw new Error("broken"); return "planned"; } },
    });
    expect(await conversation.send("Add it")).toMatchObject({ outcome: { reason: "done", verified: true } });
    expect(facts(roundOpened)).toHaveLength(5);
  });

  it("going back to chat begins a cycle with a fresh memory", async () => {
    const { conversation } = scripted({
      decisions: [...cycle, at("reflection", "executor", "planner"), at("chat", "project-manager"), at("execute"), at("verification"), at("chores"), at("reflection", "executor", "project-manager")],
      work: { "project-manager": ({ phase }) => (phase === "chat" ? { text: "next?", question: "What next?" } : "reflected") },
    });
    conversation.note("readFiles", ["a.ts"]);
    const waiting = conversation.send("Add it");
    expect(conversation.cycle.notes.get("readFiles")).toEqual(["a.ts"]);
    expect(await waiting).toMatchObject({ status: "waiting", phase: "chat" });
    expect(conversation.cycle.notes.size).toBe(0);
    expect(conversation.cycle.reflections.size).toBe(0);
    expect(conversation.cycle.participants).toEqual(["project-manager"]);
    expect(await conversation.send("More")).toMatchObject({ status: "ended", outcome: { reason: "done", verified: true } });
  });

  it("going to chat in the middle of a cycle forgets nothing", async () => {
    const { conversation } = scripted({ decisions: [at("execute"), at("chat", "planner")], work: { planner: () => ({ text: "?", question: "?" }) } });
    conversation.note("readFiles", ["a.ts"]);
    await conversation.send("Add it");
    expect(conversation.phase).toBe("chat");
    expect(conversation.cycle.notes.get("readFiles")).toEqual(["a.ts"]);
    expect(conversation.cycle.participants).toEqual(["executor", "planner"]);
  });
});
