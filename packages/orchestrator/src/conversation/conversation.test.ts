import { describe, expect, it } from "vitest";
import { latch, scripted } from "../__fixtures__/scripted-conversation.ts";
import { agentFinished, completionIgnored, roundClosed, roundOpened } from "./conversation-events.ts";

describe("a conversation", () => {
  it("a conversation runs rounds until the router ends it", async () => {
    const { conversation, dataOf, contexts } = scripted({
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
    expect(dataOf(roundOpened).map(({ round, agents, phase }) => [round, phase, ...agents])).toEqual([
      ["round-1", "chat", "project-manager"],
      ["round-2", "execute", "executor"],
      ["round-3", "verification", "executor"],
      ["round-4", "chores", "executor"],
      ["round-5", "reflection", "project-manager", "executor"],
    ]);
    expect(dataOf(roundClosed).map(({ why }) => why)).toEqual(Array.from({ length: 5 }, () => "complete"));
    expect(contexts).toHaveLength(6);
    expect(dataOf(completionIgnored)).toEqual([]);
    expect(dataOf(agentFinished)).toHaveLength(6);
  });

  it("a conversation waits for the user if an agent asks, and continues with the answer", async () => {
    const { conversation, requests, of } = scripted({
      decisions: [
        { agents: ["project-manager"], reason: "unclear" },
        { agents: ["project-manager"], reason: "answered" },
      ],
      work: {
        "project-manager": ({ request }) =>
          request === "Blue" ? { text: "Blue it is" } : { text: "?", question: "Which colour?" },
      },
    });
    expect(await conversation.send("Paint it")).toEqual({
      status: "waiting",
      phase: "chat",
      question: "Which colour?",
    });
    expect(of("question.asked")).toMatchObject([{ question: "Which colour?", agent: "project-manager" }]);
    expect(requests).toHaveLength(1);
    expect(await conversation.send("Blue")).toMatchObject({ status: "ended" });
    expect(requests[1]?.request).toBe("Blue");
  });

  it("a message that arrives while agents work is not lost", async () => {
    const gate = latch();
    const { conversation, requests } = scripted({
      decisions: [
        { agents: ["planner"], reason: "a" },
        { agents: ["planner"], reason: "b" },
      ],
      work: {
        planner: async ({ request }) => {
          await gate.promise;
          return `about ${request}`;
        },
      },
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

  it("an idle conversation leaves no timer behind", async () => {
    const { conversation, time } = scripted({
      decisions: [{ agents: ["planner"], reason: "a" }],
      work: { planner: () => ({ text: "?", question: "Well?" }) },
    });
    await conversation.send("x");
    expect(time.waiting()).toBe(0);
    await conversation.send("y");
    expect(time.waiting()).toBe(0);
  });

  it("a conversation without a request does nothing", async () => {
    const { conversation, requests } = scripted();
    expect(await conversation.proceed()).toEqual({ status: "idle", phase: "chat" });
    expect(requests).toEqual([]);
  });

  it("proceed({ rounds: 1 }) runs one round", async () => {
    const { conversation, contexts } = scripted({
      task: { text: "a task" },
      decisions: [
        { agents: ["planner"], reason: "a" },
        { agents: ["executor"], reason: "b" },
      ],
    });
    expect(await conversation.proceed({ rounds: 1 })).toMatchObject({ status: "idle" });
    expect(contexts.map(({ agent, request }) => [agent, request])).toEqual([["planner", "a task"]]);
    expect(await conversation.proceed()).toMatchObject({ status: "ended" });
  });
});
