import { describe, expect, it } from "vitest";
import { scripted } from "../__fixtures__/scripted-conversation.ts";
import { virtualTime } from "../__fixtures__/virtual-time.ts";
import { lessonLearned, roundOpened, routingCorrected } from "../conversation/conversation-events.ts";
import { createConversation } from "../conversation/conversation.ts";
import { defineAgent } from "../agents/agent.ts";
import { renderRoutingPrompt } from "./router.ts";

const execute = { agents: ["executor"], phase: "execute", reason: "do it" } as const;

describe("an unknown agent", () => {
  it("an unknown agent is corrected with the list of names and recorded as a lesson", async () => {
    const { conversation, requests, dataOf } = scripted({
      decisions: [{ agents: ["coder"], phase: "execute", reason: "code it" }, execute],
    });
    await conversation.proceed();
    await conversation.send("Add it");
    expect(requests[1]).toMatchObject({ attempt: 1, phase: "chat" });
    expect(requests[1]?.feedback).toMatchInlineSnapshot(
      `"There is no agent "coder". Use one of: project-manager, planner, executor, or END."`,
    );
    expect(dataOf(lessonLearned)).toMatchInlineSnapshot(`
      [
        {
          "agent": "router",
          "from": "routing",
          "phase": "chat",
          "text": "The agents are: project-manager, planner, executor; not coder.",
        },
      ]
    `);
    expect(dataOf(roundOpened)[0]).toMatchObject({ agents: ["executor"], phase: "execute", by: "router" });
  });

  it("an unknown agent does not move the phase and is recorded as a lesson once", async () => {
    const { conversation, requests, dataOf } = scripted({
      decisions: [
        { agents: ["coder"], phase: "execute", reason: "1" },
        { agents: ["coder"], phase: "execute", reason: "2" },
        execute,
      ],
    });
    await conversation.send("Add it");
    expect(requests.slice(0, 3).map(({ phase, attempt }) => [phase, attempt])).toEqual([
      ["chat", 0],
      ["chat", 1],
      ["chat", 2],
    ]);
    expect(dataOf(lessonLearned)).toHaveLength(1);
  });

  it("a router with an unknown agent is corrected twice, then the fallback decides", async () => {
    const wrong = { agents: ["coder"], reason: "again" };
    const { conversation, requests, dataOf } = scripted({ decisions: [wrong, wrong, wrong, wrong, wrong, wrong] });
    await conversation.proceed();
    await conversation.send("Add it");
    expect(requests.slice(0, 4).map(({ attempt }) => attempt)).toEqual([0, 1, 2, 0]);
    expect(dataOf(roundOpened)[0]).toMatchObject({ by: "fallback", agents: ["project-manager"], phase: "chat" });
  });

  it.each([["Executor"], [" EXECUTOR"]])("the agent %j matches despite its case", async (name) => {
    const { conversation, dataOf } = scripted({ decisions: [{ agents: [name], reason: "x" }] });
    await conversation.send("Add it");
    expect(dataOf(routingCorrected)).toEqual([]);
    expect(dataOf(roundOpened)[0]?.agents).toEqual(["executor"]);
  });
});

describe("a move the graph refuses", () => {
  it("a refused move keeps the phase, is recorded, and the router must choose another", async () => {
    const { conversation, requests, dataOf, of } = scripted({
      decisions: [{ agents: ["executor"], phase: "reflection", reason: "skip all" }, execute],
    });
    await conversation.send("Add it");
    expect(requests[1]).toMatchObject({
      phase: "chat",
      feedback: 'From "chat" a run may go to: execute, plan, brainstorm; not to "reflection".',
    });
    expect(of("phase.refused")).toMatchObject([{ from: "chat", to: "reflection", why: "no-edge" }]);
    expect(dataOf(roundOpened)[0]?.phase).toBe("execute");
  });

  it.each([
    [
      "nonsense",
      'The graph has no phase "nonsense". It has: chat, brainstorm, plan, execute, verification, chores, reflection.',
    ],
  ])("a refused move to %j names the allowed ones", async (phase, feedback) => {
    const { conversation, requests } = scripted({ decisions: [{ agents: ["executor"], phase, reason: "?" }, execute] });
    await conversation.send("Add it");
    expect(requests[1]?.feedback).toBe(feedback);
  });

  it("a phase name matches despite its case", async () => {
    const { conversation, dataOf } = scripted({
      decisions: [{ agents: ["executor"], phase: "EXECUTE", reason: "go" }],
    });
    await conversation.send("Add it");
    expect(dataOf(roundOpened)[0]?.phase).toBe("execute");
  });
});

describe("a router that fails", () => {
  it.each([
    [
      "throws",
      () => {
        throw new Error("quota");
      },
      "The router failed: quota",
    ],
    ["rejects", () => Promise.reject(new Error("offline")), "The router failed: offline"],
    ["never answers", () => new Promise<never>(() => undefined), "The router failed: it took longer than 100 ms"],
  ] as const)("a router that %s leaves the decision to the fallback immediately", async (_what, router, feedback) => {
    const time = virtualTime();
    let calls = 0;
    const conversation = createConversation({
      agents: [defineAgent({ name: "executor", work: () => "done" })],
      clock: time.clock,
      schedule: time.schedule,
      routerTimeoutMs: 100,
      router: () => {
        calls += 1;
        return router();
      },
    });
    const corrected: string[] = [];
    conversation.run.subscribe((step) => {
      for (const event of step) if (routingCorrected.is(event)) corrected.push(event.data.feedback);
    });
    const sent = conversation.send("Add it");
    await time.advance(1000);
    expect(await sent).toMatchObject({ status: "ended" });
    expect(corrected[0]).toBe(feedback);
    expect(calls).toBe(corrected.length);
  });

  it("a router and a fallback that both fail end the conversation with a reason", async () => {
    const { conversation } = scripted({
      decisions: ["?", "?", "?"],
      fallback: () => {
        throw new Error("me too");
      },
    });
    expect(await conversation.send("Add it")).toMatchObject({
      status: "ended",
      outcome: { reason: "aborted_stagnation", verified: false },
    });
    expect(conversation.run.view.stopped?.text).toMatchInlineSnapshot(
      `"Neither the router nor the fallback found a valid route: The router failed: me too"`,
    );
  });

  it("the fallback alone visits all owed phases", async () => {
    const { conversation, dataOf } = scripted({
      decisions: Array.from({ length: 60 }, () => "no idea"),
      initialPhase: () => ({ phase: "execute", reason: "clear" }),
    });
    expect(await conversation.send("Add it")).toMatchObject({
      status: "ended",
      outcome: { reason: "done", verified: true },
    });
    expect(dataOf(roundOpened).map(({ phase, agents }) => `${phase}: ${agents.join()}`)).toEqual([
      "execute: executor",
      "verification: executor",
      "chores: executor",
      "reflection: executor",
    ]);
  });
});

describe("a routing request", () => {
  it("a routing request has the phase, the allowed moves, the owed phases and the agents", async () => {
    let prompt = "";
    const { conversation, requests } = scripted({
      decisions: [
        execute,
        (request) => {
          prompt = renderRoutingPrompt({ ...request, feedback: "no" });
          return { agents: ["END"], reason: "?" };
        },
      ],
    });
    await conversation.send("Add it");
    expect(requests[1]).toMatchObject({
      conversation: "talk",
      phase: "execute",
      entry: "execute#1",
      previousPhase: "chat",
      request: "Add it",
      allowed: ["chat", "verification"],
      owed: ["verification"],
      agents: [{ name: "project-manager" }, { name: "planner" }, { name: "executor" }],
      participants: ["executor"],
      unreflected: ["executor"],
      reflection: "reflection",
    });
    expect(requests[1]?.lastRound).toMatchObject({
      round: "round-1",
      completions: [{ agent: "executor", outcome: "done", text: "executor did it" }],
      closed: { why: "complete" },
    });
    expect(prompt.replace("object: {", "object:\n{")).toMatchInlineSnapshot(`
      "You decide who works next. Answer with one JSON object:
      {"agents": [names], "phase": name (only to change it), "reason": why}.

      Agents:
      - project-manager
      - planner
      - executor
      - END: ends the conversation

      Phase: execute (Do the work.). Next phases: chat, verification.

      Owed before the end: verification.

      So far:
      [chat] → do it
      user: Add it
      [execute, now]: do it
      executor: executor did it

      Request:
      Add it

      Your last decision was not applied: no"
    `);
  });

  it("a routing request has no phase guidance", async () => {
    const { conversation, requests, of } = scripted({ decisions: [execute] });
    await conversation.send("Add it");
    expect(requests.map(({ message }) => message)).toEqual(requests.map(() => undefined));
    expect(of("nudge.sent")).toEqual([]);
  });
});
