import { definePhaseGraph } from "@phasekit/core";
import { describe, expect, it } from "vitest";
import { latch, scripted } from "./__fixtures__/scripted-conversation.ts";
import { agentFinished, roundClosed } from "./conversation/conversation-events.ts";

const one = { agents: ["planner"], reason: "one" };
const both = { agents: ["planner", "executor"], reason: "both" };

describe("suspending", () => {
  it("suspend lets agents at work finish and calls no one until resume", async () => {
    const gate = latch();
    const { conversation, time, requests, dataOf } = scripted({
      decisions: [one, one],
      work: {
        planner: async () => {
          await gate.promise;
          return "done";
        },
      },
    });
    const sent = conversation.send("go");
    await time.settle();
    expect(conversation.suspend({ why: "lunch" })).toBe(true);
    gate.open();
    expect(await sent).toMatchObject({ status: "suspended" });
    expect(dataOf(roundClosed)).toEqual([{ round: "round-1", why: "complete", missing: [] }]);
    expect(requests).toHaveLength(1);
    expect(await conversation.proceed()).toMatchObject({ status: "suspended" });
    expect(requests).toHaveLength(1);
    expect(await conversation.resume()).toMatchObject({ status: "ended" });
    expect(requests).toHaveLength(3);
  });

  it("suspended time does not count against the round", async () => {
    const { conversation, time, dataOf } = scripted({
      roundTimeoutMs: 1000,
      graceMs: 10,
      decisions: [one],
      work: { planner: () => new Promise(() => undefined) },
    });
    const sent = conversation.send("go");
    await time.advance(600);
    conversation.suspend();
    await time.advance(100_000);
    expect(dataOf(roundClosed)).toEqual([]);
    const resumed = conversation.resume();
    await time.advance(399);
    expect(dataOf(roundClosed)).toEqual([]);
    await time.advance(1);
    expect(dataOf(roundClosed)).toMatchObject([{ why: "timeout" }]);
    await time.advance(1000);
    expect([(await sent).status, (await resumed).status]).toEqual(["ended", "ended"]);
  });

  it("a suspension past its limit ends the conversation as interrupted", async () => {
    const { conversation, time } = scripted({
      decisions: [one],
      work: { planner: () => ({ text: "?", question: "?" }) },
    });
    await conversation.send("go");
    conversation.suspend({ timeoutMs: 1000 });
    void conversation.proceed();
    await time.advance(999);
    expect(conversation.status).toBe("suspended");
    await time.advance(1);
    expect(conversation.run.outcome).toMatchObject({ reason: "interrupted" });
    expect(time.waiting()).toBe(0);
  });
});

describe("suspending the run of one agent", () => {
  /** Works in turns as an adapter would: it stops when its run says so. */
  const patient =
    (turns: string[]) =>
    ({ run }: { run: { beforeTurn: () => { stop: unknown }; view: { turn: number } } }) => {
      if (run.beforeTurn().stop !== undefined) return undefined;
      turns.push(`turn ${String(run.view.turn)}`);
      return "finished";
    };

  it("a suspended agent waits for resume while the others continue", async () => {
    const turns: string[] = [];
    const gate = latch();
    const { conversation, time, dataOf, contexts } = scripted({
      decisions: [both],
      work: {
        planner: async (context) => {
          await gate.promise;
          return patient(turns)(context);
        },
        executor: () => "quick",
      },
    });
    const sent = conversation.send("go");
    await time.settle();
    const run = conversation.agentRuns.get("planner");
    run?.suspend({ why: "later" });
    gate.open();
    await time.settle();
    expect(dataOf(agentFinished).map(({ agent }) => agent)).toEqual(["executor"]);
    expect([turns, conversation.state.open?.round]).toEqual([[], "round-1"]);
    run?.resume();
    await sent;
    expect(turns).toEqual(["turn 1"]);
    expect(contexts.filter(({ agent }) => agent === "planner").map(({ reminder }) => reminder)).toEqual([
      undefined,
      "You were suspended. Continue where you stopped.",
    ]);
    expect(dataOf(agentFinished)).toMatchObject([
      { agent: "executor" },
      { agent: "planner", outcome: "done", text: "finished" },
    ]);
    expect(time.waiting()).toBe(0);
  });

  it("suspended time does not count against the agent", async () => {
    const { conversation, time, dataOf } = scripted({
      graceMs: 10,
      agents: [{ name: "planner", timeoutMs: 1000, work: () => new Promise(() => undefined) }],
      decisions: [one],
    });
    const sent = conversation.send("go");
    await time.advance(600);
    conversation.agentRuns.get("planner")?.suspend();
    await time.advance(100_000);
    conversation.agentRuns.get("planner")?.resume();
    await time.advance(399);
    expect(dataOf(agentFinished)).toEqual([]);
    await time.advance(11);
    expect(dataOf(agentFinished)).toMatchObject([{ outcome: "timeout" }]);
    await time.advance(1000);
    await sent;
  });

  it("an agent that is suspended too long counts as cancelled, even if a listener throws", async () => {
    const { conversation, time, dataOf } = scripted({
      decisions: [one],
      work: {
        planner: ({ run }) => {
          run.suspend({ timeoutMs: 500 });
          return "half";
        },
      },
      onAgentRun: () => {
        throw new Error("a listener");
      },
    });
    const sent = conversation.send("go");
    await time.advance(499);
    expect(dataOf(agentFinished)).toEqual([]);
    await time.advance(1);
    await sent;
    expect(dataOf(agentFinished)).toMatchObject([{ outcome: "cancelled", text: "half" }]);
  });
});

describe("questions", () => {
  it("questions of several agents in one round are asked together", async () => {
    const { conversation, of } = scripted({
      decisions: [both],
      work: {
        planner: () => ({ text: "p", question: "How big?" }),
        executor: () => ({ text: "e", question: "How soon?" }),
      },
    });
    expect(await conversation.send("go")).toMatchObject({ status: "waiting", question: "How big?\nHow soon?" });
    expect(of("question.asked")).toHaveLength(2);
  });
});

describe("cancelling", () => {
  it("cancel aborts every signal, closes the round and ends the conversation", async () => {
    const { conversation, time, dataOf, contexts, requests } = scripted({
      graceMs: 100,
      decisions: [both, both],
      work: {
        planner: ({ signal }) =>
          new Promise((_, reject) => {
            signal.addEventListener("abort", () => reject(new Error("aborted")));
          }),
        executor: () => new Promise(() => undefined),
      },
    });
    const sent = conversation.send("go");
    await time.settle();
    expect([...conversation.agentRuns.keys()]).toEqual(["planner", "executor"]);
    const cancelled = conversation.cancel({ why: "Enough." });
    await time.advance(1000);
    expect(await cancelled).toMatchObject({ status: "ended", outcome: { reason: "cancelled", verified: false } });
    await sent;
    expect(contexts.every(({ signal }) => signal.aborted)).toBe(true);
    expect(dataOf(roundClosed)).toEqual([{ round: "round-1", why: "cancelled", missing: ["planner", "executor"] }]);
    expect(requests).toHaveLength(1);
    expect(time.waiting()).toBe(0);
  });

  it("cancelRound makes the router decide again", async () => {
    const { conversation, time, dataOf, requests } = scripted({
      graceMs: 10,
      decisions: [both, { agents: ["executor"], reason: "instead" }],
      work: { planner: () => new Promise(() => undefined) },
    });
    const sent = conversation.send("go");
    await time.settle();
    expect(conversation.cancelRound("changed my mind")).toBe(true);
    await time.advance(1000);
    await sent;
    expect(dataOf(roundClosed)).toMatchObject([{ why: "cancelled", missing: ["planner"] }, { why: "complete" }]);
    expect(requests).toHaveLength(3);
    expect(conversation.cancelRound("there is none")).toBe(false);
  });

  it.each([["cancelAgent"], ["run"]])("cancelling one agent leaves the others at work (by %s)", async (by) => {
    const gate = latch();
    const { conversation, time, dataOf, contexts } = scripted({
      graceMs: 10,
      decisions: [both],
      work: {
        planner: () => new Promise(() => undefined),
        executor: async () => {
          await gate.promise;
          return "fine";
        },
      },
    });
    const sent = conversation.send("go");
    await time.settle();
    if (by === "run") conversation.agentRuns.get("planner")?.stop({ why: "not needed" });
    else expect(conversation.cancelAgent("planner", "not needed")).toBe(true);
    await time.advance(10);
    expect(contexts.map(({ agent, signal }) => [agent, signal.aborted])).toEqual([
      ["planner", true],
      ["executor", false],
    ]);
    gate.open();
    await time.advance(1000);
    await sent;
    expect(dataOf(agentFinished).map(({ agent, outcome }) => [agent, outcome])).toEqual([
      ["planner", "cancelled"],
      ["executor", "done"],
    ]);
    expect(dataOf(roundClosed)).toEqual([{ round: "round-1", why: "complete", missing: [] }]);
    expect(conversation.cancelAgent("planner", "again")).toBe(false);
  });

  it("cancel aborts the router's signal and does not wait for it", async () => {
    let signal: AbortSignal | undefined;
    const { conversation, time } = scripted({
      decisions: [
        (request) => {
          signal = request.signal;
          return new Promise<never>(() => undefined) as never;
        },
      ],
    });
    const sent = conversation.send("go");
    await time.settle();
    expect(await conversation.cancel()).toMatchObject({ status: "ended", outcome: { reason: "cancelled" } });
    expect(await sent).toMatchObject({ status: "ended" });
    expect([signal?.aborted, time.waiting()]).toEqual([true, 0]);
  });

  it("a second cancel has no effect", async () => {
    const { conversation, of } = scripted();
    await conversation.cancel();
    await conversation.cancel();
    expect(of("run.finished")).toHaveLength(1);
  });
});

describe("a phase with a time limit", () => {
  const graph = definePhaseGraph({
    name: "timed",
    initial: "think",
    phases: { think: { next: ["act"], timeoutMs: 5000, final: true }, act: { next: [], final: true } },
  });

  it("a phase that takes longer than its time limit ends the conversation", async () => {
    const { conversation, time, of } = scripted({
      graph,
      graceMs: 10,
      decisions: [one],
      work: { planner: () => new Promise(() => undefined) },
    });
    const sent = conversation.send("go");
    await time.advance(5000);
    expect(of("phase.timed-out")).toMatchObject([{ phase: "think", limitMs: 5000 }]);
    await time.advance(1000);
    expect(await sent).toMatchObject({ status: "ended", outcome: { reason: "phase_timeout" } });
  });
});

describe("going back", () => {
  it("a user may go back: the phase is entered anew, and what was owed then is owed again", async () => {
    const { conversation } = scripted();
    for (const phase of ["execute", "verification", "chores"] as const) await conversation.move(phase);
    expect(conversation.run.rollback("execute", { by: "agent", why: "wrong" })).toBe(false);
    expect(conversation.run.rollback("execute", { by: "user", why: "It was built on the wrong branch." })).toBe(true);
    expect(conversation.state.visits.at(-1)).toMatchObject({ phase: "execute", entry: "execute#2" });
    expect(conversation.state.moves.at(-1)).toMatchObject({
      from: "chores",
      to: "execute",
      reason: "It was built on the wrong branch.",
    });
    expect(conversation.run.view.owed.map(({ visit }) => visit)).toContain("verification");
  });
});

describe("moving by hand", () => {
  it("a user may move along the graph", async () => {
    const { conversation } = scripted();
    expect(await conversation.move("plan", { why: "Think first.", message: "the list", summary: "short" })).toEqual({
      ok: true,
    });
    expect(conversation.state.moves).toMatchObject([
      { from: "chat", to: "plan", name: "user", reason: "Think first.", message: "the list", summary: "short" },
    ]);
    expect(await conversation.move("chat")).toEqual({
      ok: false,
      why: "refused-move",
      text: 'From "plan" a run may go to: execute; not to "chat".',
    });
    expect(await conversation.move("plan", { name: "Ann", message: "still planning" })).toEqual({ ok: true });
    expect(conversation.state.moves.at(-1)).toMatchObject({
      from: "plan",
      to: "plan",
      agent: "Ann",
      message: "still planning",
    });
  });
});
