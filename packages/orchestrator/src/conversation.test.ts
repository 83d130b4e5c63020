import { describe, expect, it } from "vitest";
import { latch, scripted } from "./__fixtures__/scripted-conversation.ts";
import { agentFinished, completionIgnored, roundClosed, roundOpened } from "./conversation-facts.ts";

describe("a conversation", () => {
  it("goes from round to round until the router ends it", async () => {
    const { conversation, facts, contexts } = scripted({
      decisions: [
        { agents: ["project-manager"], reason: "ask" },
        { agents: ["executor"], phase: "execute", reason: "do it" },
        { agents: ["executor"], phase: "verification", reason: "check" },
        { agents: ["executor"], phase: "chores", reason: "tidy" },
        { agents: ["project-manager", "executor"], phase: "reflection", reason: "learn" },
      ],
    });
    const pause = await conversation.send("Add a login page.");
    expect(pause).toMatchObject({ status: "ended", phase: "reflection", outcome: { reason: "done", verified: true } });
    expect(facts(roundOpened).map(({ round, agents, phase }) => [round, phase, ...agents])).toEqual([
      ["round-1", "chat", "project-manager"],
      ["round-2", "execute", "executor"],
      ["round-3", "verification", "executor"],
      ["round-4", "chores", "executor"],
      ["round-5", "reflection", "project-manager", "executor"],
    ]);
    expect(facts(roundClosed).map(({ why }) => why)).toEqual(Array.from({ length: 5 }, () => "complete"));
    expect(contexts).toHaveLength(6);
    expect(facts(completionIgnored)).toEqual([]);
    expect(facts(agentFinished)).toHaveLength(6);
  });

  it("waits for the person when an agent asks, and goes on with the answer", async () => {
    const { conversation, requests, of } = scripted({
      decisions: [{ agents: ["project-manager"], reason: "unclear" }, { agents: ["project-manager"], reason: "answered" }],
      work: { "project-manager": ({ request }) => (request === "Blue" ? { text: "Blue it is" } : { text: "?", question: "Which colour?" }) },
    });
    expect(await conversation.send("Paint it")).toEqual({ status: "waiting", phase: "chat", question: "Which colour?" });
    expect(of("question.asked")).toMatchObject([{ question: "Which colour?", agent: "project-manager" }]);
    expect(requests).toHaveLength(1);
    expect(await conversation.send("Blue")).toMatchObject({ status: "ended" });
    expect(requests[1]?.request).toBe("Blue");
  });

  it("is told of a message that comes while it works, and does not lose it", async () => {
    const gate = latch();
    const { conversation, requests } = scripted({
      decisions: [{ agents: ["planner"], reason: "a" }, { agents: ["planner"], reason: "b" }],
      work: { planner: async ({ request }) => { await gate.promise; return `about ${request}`; } },
    });
    const first = conversation.send("one");
    await new Promise((resolve) => setImmediate(resolve));
    const second = conversation.send("two");
    expect(conversation.status).toBe("working");
    gate.open();
    expect((await first).status).toBe("ended");
    expect((await second).status).toBe("ended");
    expect(requests.map(({ request }) => request)).toEqual(["one", "two", "two"]);
  });

  it("leaves no timer behind when it rests", async () => {
    const { conversation, time } = scripted({ decisions: [{ agents: ["planner"], reason: "a" }], work: { planner: () => ({ text: "?", question: "Well?" }) } });
    await conversation.send("x");
    expect(time.waiting()).toBe(0);
    await conversation.send("y");
    expect(time.waiting()).toBe(0);
  });

  it("does nothing as long as nobody wants anything", async () => {
    const { conversation, requests } = scripted();
    expect(await conversation.proceed()).toEqual({ status: "idle", phase: "chat" });
    expect(requests).toEqual([]);
  });

  it("goes on round by round when told so", async () => {
    const { conversation, contexts } = scripted({ task: { text: "a task" }, decisions: [{ agents: ["planner"], reason: "a" }, { agents: ["executor"], reason: "b" }] });
    expect(await conversation.proceed({ rounds: 1 })).toMatchObject({ status: "idle" });
    expect(contexts.map(({ agent, request }) => [agent, request])).toEqual([["planner", "a task"]]);
    expect(await conversation.proceed()).toMatchObject({ status: "ended" });
  });
});
