import { definePolicy } from "@phasekit/core";
import { describe, expect, it } from "vitest";
import { latch, scripted } from "../__fixtures__/scripted-conversation.ts";
import { agentFinished, completionIgnored, roundClosed } from "../conversation/conversation-events.ts";
import type { AgentFailure } from "./supervisor.ts";

const both = { agents: ["planner", "executor"], reason: "together" };

describe("the agents of a round", () => {
  it("agents work in parallel: two that each wait for the other's start both finish", async () => {
    const started = { planner: latch(), executor: latch() };
    const { conversation, dataOf } = scripted({
      decisions: [both],
      work: {
        planner: async () => {
          started.planner.open();
          await started.executor.promise;
          return "planned";
        },
        executor: async () => {
          started.executor.open();
          await started.planner.promise;
          return "executed";
        },
      },
    });
    expect(await conversation.send("go")).toMatchObject({ status: "ended" });
    expect(dataOf(roundClosed)).toEqual([{ round: "round-1", why: "complete", missing: [] }]);
    expect(
      dataOf(agentFinished)
        .map(({ agent, outcome }) => [agent, outcome])
        .sort(),
    ).toEqual([
      ["executor", "done"],
      ["planner", "done"],
    ]);
  });

  it.each([
    { parallel: 1, most: 1 },
    { parallel: 2, most: 2 },
    { parallel: 3, most: 3 },
    { parallel: 50, most: 3 },
  ])("at most $parallel agents work in parallel: $most", async ({ parallel, most }) => {
    let now = 0;
    let peak = 0;
    const work = async () => {
      now += 1;
      peak = Math.max(peak, now);
      await Promise.resolve();
      await Promise.resolve();
      now -= 1;
      return "x";
    };
    const { conversation, dataOf } = scripted({
      parallel,
      decisions: [{ agents: ["project-manager", "planner", "executor"], reason: "all" }],
      work: { "project-manager": work, planner: work, executor: work },
    });
    await conversation.send("go");
    expect(peak).toBe(most);
    expect(dataOf(agentFinished)).toHaveLength(3);
  });

  it("completions are tracked per agent, and the round closes with the last", async () => {
    const gate = latch();
    const { conversation, dataOf, time } = scripted({
      decisions: [both],
      work: {
        planner: () => "quick",
        executor: async () => {
          await gate.promise;
          return "slow";
        },
      },
    });
    const sent = conversation.send("go");
    await time.settle();
    expect(conversation.state.open?.completions.map(({ agent }) => agent)).toEqual(["planner"]);
    expect(dataOf(roundClosed)).toEqual([]);
    gate.open();
    await sent;
    expect(dataOf(roundClosed)).toHaveLength(1);
  });

  it("agents have their own runs, children of the conversation's run", async () => {
    const runs: string[] = [];
    const { conversation, of } = scripted({
      decisions: [both],
      onAgentRun: (run, { agent, round }) =>
        runs.push(`${run.id} ${agent} ${round} ${run.view.phase} ${String(run.view.parent?.run)}`),
    });
    await conversation.send("go");
    expect(runs).toEqual([
      "talk.round-1.planner planner round-1 chat talk",
      "talk.round-1.executor executor round-1 chat talk",
    ]);
    expect(of("child.started")).toMatchObject([
      { child: "talk.round-1.planner", call: "round-1:planner" },
      { child: "talk.round-1.executor" },
    ]);
    expect(of("child.finished")).toMatchObject([{ reason: "done" }, { reason: "done" }]);
  });
});

describe("an agent that crashes", () => {
  it("a crashed agent is recorded as failed, and the round closes without waiting", async () => {
    const { conversation, dataOf, requests } = scripted({
      decisions: [both],
      work: {
        planner: () => {
          throw new Error("out of memory");
        },
      },
    });
    await conversation.send("go");
    expect(dataOf(agentFinished)).toContainEqual({
      round: "round-1",
      agent: "planner",
      child: "talk.round-1.planner",
      outcome: "failed",
      error: "out of memory",
    });
    expect(dataOf(roundClosed)).toEqual([{ round: "round-1", why: "complete", missing: [] }]);
    expect(requests[1]?.history).toContain("planner did not finish: failed: out of memory");
  });

  it.each([
    [
      "its run cannot be made",
      { policies: [definePolicy({ name: "agent-todos" })] },
      'Two policies are named "agent-todos".',
    ],
    [
      "its tools cannot be made",
      {
        tools: () => {
          throw new Error("no tools");
        },
      },
      "no tools",
    ],
  ])("an agent that crashes because %s is recorded as failed", async (_what, spec, error) => {
    const { conversation, dataOf } = scripted({
      agents: [{ name: "planner", work: () => "x", ...spec }],
      decisions: [{ agents: ["planner"], reason: "x" }],
    });
    expect(await conversation.send("go")).toMatchObject({ status: "ended" });
    expect(dataOf(agentFinished)).toMatchObject([{ agent: "planner", outcome: "failed", error }]);
  });

  it("a round closes at its timeout if an agent never returns", async () => {
    const { conversation, dataOf, time, contexts } = scripted({
      roundTimeoutMs: 60_000,
      graceMs: 1000,
      decisions: [both],
      work: { planner: () => new Promise(() => undefined) },
    });
    const sent = conversation.send("go");
    await time.advance(59_999);
    expect(dataOf(roundClosed)).toEqual([]);
    expect(contexts[0]?.signal.aborted).toBe(false);
    await time.advance(1);
    expect(dataOf(roundClosed)).toEqual([{ round: "round-1", why: "timeout", missing: ["planner"] }]);
    expect(contexts[0]?.signal.aborted).toBe(true);
    await time.advance(10_000);
    expect(await sent).toMatchObject({ status: "ended" });
    expect(time.waiting()).toBe(0);
  });

  it("an agent that exceeds its own time limit is stopped while the others continue", async () => {
    const { conversation, dataOf, time } = scripted({
      agents: [
        { name: "planner", timeoutMs: 500, work: () => new Promise(() => undefined) },
        { name: "executor", work: () => "fine" },
      ],
      graceMs: 100,
      decisions: [both],
    });
    const sent = conversation.send("go");
    await time.advance(599);
    expect(dataOf(agentFinished)).toHaveLength(1);
    await time.advance(1);
    expect(dataOf(agentFinished)).toMatchObject([
      { agent: "executor", outcome: "done" },
      { agent: "planner", outcome: "timeout" },
    ]);
    await time.advance(10_000);
    await sent;
  });

  it.each([
    { verdicts: ["restart", "restart", "give-up"], failures: 9, calls: 3, outcome: "failed" },
    { verdicts: ["restart", "restart", "restart"], failures: 1, calls: 2, outcome: "done" },
    { verdicts: ["restart", "restart", "restart", "restart", "restart"], failures: 9, calls: 3, outcome: "failed" },
    { verdicts: ["give-up"], failures: 9, calls: 1, outcome: "failed" },
    { verdicts: ["oops"], failures: 9, calls: 1, outcome: "failed" },
  ])(
    "the supervisor restarts a failed agent within the caps: $verdicts gives $calls calls",
    async ({ verdicts, failures, calls, outcome }) => {
      const asked: AgentFailure[] = [];
      let tried = 0;
      const { conversation, dataOf } = scripted({
        decisions: [{ agents: ["planner"], reason: "x" }],
        supervisor: (failure) => {
          asked.push(failure);
          const verdict = verdicts[asked.length - 1];
          if (verdict === "oops") throw new Error("supervisor");
          return verdict as "restart";
        },
        work: {
          planner: () => {
            tried += 1;
            if (tried <= failures) throw new Error(`no ${String(tried)}`);
            return "yes";
          },
        },
      });
      await conversation.send("go");
      expect(tried).toBe(calls);
      expect(dataOf(agentFinished)).toMatchObject([{ agent: "planner", outcome }]);
      expect(asked[0]).toMatchObject({ agent: "planner", round: "round-1", attempt: 1, stalled: 1, outcome: "failed" });
    },
  );

  it("an agent that makes progress is restarted until the absolute cap", async () => {
    let tried = 0;
    const { conversation } = scripted({
      retryCaps: { withoutProgress: 2, absolute: 10 },
      supervisor: () => "restart",
      decisions: [{ agents: ["planner"], reason: "x" }],
      work: {
        planner: ({ run }) => {
          tried += 1;
          run.record({ type: "progress.made", what: `step ${String(tried)}` });
          throw new Error("and yet");
        },
      },
    });
    await conversation.send("go");
    expect(tried).toBe(10);
  });
});

describe("completions without effect", () => {
  it("a completion after the round closed is recorded as late", async () => {
    const gate = latch();
    const { conversation, dataOf, time } = scripted({
      roundTimeoutMs: 100,
      graceMs: 10,
      decisions: [both, { agents: ["executor"], reason: "go on" }],
      work: {
        planner: async () => {
          await gate.promise;
          return { text: "late", phase: "plan", question: "?" };
        },
      },
    });
    const sent = conversation.send("go");
    await time.advance(100);
    gate.open();
    await time.advance(1000);
    await sent;
    expect(dataOf(completionIgnored)).toEqual([{ round: "round-1", agent: "planner", why: "late" }]);
    expect(conversation.state).toMatchObject({ question: undefined, wishes: [] });
    expect(conversation.phase).toBe("chat");
    expect(conversation.state.rounds[0]).toMatchObject({
      completions: [{ agent: "executor" }],
      closed: { why: "timeout", missing: ["planner"] },
    });
  });

  it.each([
    { what: "a second time", round: "round-1", agent: "planner", why: "repeated" },
    { what: "though not expected", round: "round-1", agent: "project-manager", why: "unexpected" },
    { what: "for a round nobody knows", round: "round-9", agent: "planner", why: "late" },
  ])("a completion that comes $what is ignored", async ({ round, agent, why }) => {
    const gate = latch();
    const { conversation, dataOf, time } = scripted({
      decisions: [both],
      work: {
        planner: () => "one",
        executor: async () => {
          await gate.promise;
          return "two";
        },
      },
    });
    const sent = conversation.send("go");
    await time.settle();
    const before = JSON.stringify(conversation.state.open);
    conversation.run.record(agentFinished.record({ round, agent, outcome: "done", text: "again", wants: "plan" }));
    expect(dataOf(completionIgnored)).toEqual([{ round, agent, why }]);
    expect(JSON.stringify(conversation.state.open)).toBe(before);
    gate.open();
    await sent;
    expect(dataOf(roundClosed)).toHaveLength(1);
  });
});

describe("an agent with a list of its own", () => {
  const listing = (todos: readonly { id: string; status: string }[]) => ({ type: "todos.updated" as const, todos });

  it("an agent is sent back with the open items of its list until they are settled", async () => {
    const reminders: (string | undefined)[] = [];
    const { conversation, dataOf } = scripted({
      decisions: [{ agents: ["planner"], reason: "x" }],
      work: {
        planner: ({ run, reminder, prompt }) => {
          reminders.push(reminder === undefined ? undefined : prompt);
          const done = reminders.length;
          run.record(
            listing(
              ["a", "b", "c"].map((id, index) => ({
                id,
                status: index < done ? (index === 1 ? "skipped" : "done") : "pending",
              })),
            ),
          );
          return `call ${String(done)}`;
        },
      },
    });
    await conversation.send("go");
    expect(reminders).toHaveLength(3);
    expect(reminders[1]).toMatchInlineSnapshot(`
      "Your own list has open items:
      - b
      - c
      Finish them, or mark items you do not need as skipped and say why."
    `);
    expect(dataOf(agentFinished)).toMatchObject([{ outcome: "done", text: "call 3" }]);
  });

  it.each([
    { what: "nothing is done", step: 0, calls: 3 },
    { what: "one item is done each time", step: 1, calls: 12 },
  ])("an agent with open items is accepted when $what after the caps: $calls calls", async ({ step, calls }) => {
    let called = 0;
    const { conversation, dataOf } = scripted({
      decisions: [{ agents: ["planner"], reason: "x" }],
      work: {
        planner: ({ run }) => {
          called += 1;
          run.record(
            listing(
              Array.from({ length: 12 }, (_, index) => ({
                id: `t${String(index)}`,
                status: index < called * step ? "done" : "pending",
              })),
            ),
          );
          return "done";
        },
      },
    });
    await conversation.send("go");
    expect(called).toBe(calls);
    expect(dataOf(agentFinished)).toMatchObject([{ outcome: "done" }]);
  });

  it.each([
    { what: "waits for others", result: { text: "x", pendingExternal: 1 }, request: "go" },
    { what: "asks the person", result: { text: "x", question: "?" }, request: "go" },
    { what: "was asked for the list only", result: { text: "x" }, request: "Make a todo list and stop." },
  ])("an agent with open items is not sent back when it $what", async ({ result, request }) => {
    let called = 0;
    const { conversation } = scripted({
      decisions: [{ agents: ["planner"], reason: "x" }],
      work: {
        planner: ({ run }) => {
          called += 1;
          run.record(listing([{ id: "a", status: "pending" }]));
          return result;
        },
      },
    });
    await conversation.send(request);
    expect(called).toBe(1);
  });
});
