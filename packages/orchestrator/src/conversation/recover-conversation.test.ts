import { conversationPhases, definePhaseGraph, type RunEvent } from "@phasekit/core";
import { describe, expect, it } from "vitest";
import { latch, scripted } from "../__fixtures__/scripted-conversation.ts";
import { defineAgent } from "../agents/agent.ts";
import { agentFinished, roundClosed, roundOpened } from "./conversation-events.ts";
import type { ConversationOptions } from "./conversation-options.ts";
import { recoverConversation } from "./recover-conversation.ts";

const at = (phase: string, ...agents: readonly string[]) => ({
  agents: agents.length === 0 ? ["executor"] : agents,
  phase,
  reason: `to ${phase}`,
});
const stored = (log: readonly RunEvent[]): unknown[] => JSON.parse(JSON.stringify(log)) as unknown[];

function options(more: Partial<ConversationOptions> = {}): ConversationOptions {
  return {
    id: "talk",
    clock: () => 5000,
    schedule: () => () => undefined,
    agents: ["project-manager", "planner", "executor"].map((name) =>
      defineAgent({ name, work: () => `${name} again` }),
    ),
    router: () => ({ agents: ["END"], reason: "enough" }),
    ...more,
  };
}

describe("recoverConversation", () => {
  it("recoverConversation restores phase, rounds, hand-offs and transitions from the log", async () => {
    const { conversation, log } = scripted({
      decisions: [
        { agents: ["planner"], reason: "1" },
        { agents: ["executor"], reason: "2" },
        at("plan", "planner"),
        at("execute", "executor", "planner"),
      ],
      work: { executor: ({ phase }) => (phase === "execute" ? { text: "?", question: "Which?" } : "x") },
    });
    await conversation.send("Add it");
    const { conversation: again, missing } = recoverConversation(stored(log), options());
    expect(again.phase).toBe("execute");
    expect(again.state).toEqual(conversation.state);
    expect(again.cycle).toEqual(conversation.cycle);
    expect(again.status).toBe("waiting");
    expect(again.state.moves.map(({ from, to }) => [from, to])).toEqual([
      ["chat", "chat"],
      ["chat", "plan"],
      ["plan", "execute"],
    ]);
    expect(again.phaseHistory().map(({ phase, current }) => [phase, current])).toEqual([
      ["chat", false],
      ["plan", false],
      ["execute", true],
    ]);
    expect(missing.map(({ type }) => type)).toEqual(["run.resumed"]);
  });

  it("recoverConversation restores a log cut at any event and continues to the end", async () => {
    const { conversation, log } = scripted({
      decisions: [
        at("plan", "planner"),
        at("execute", "executor", "planner"),
        at("verification"),
        at("chores"),
        at("reflection", "planner", "executor"),
      ],
    });
    await conversation.send("Add it");
    const decisions = [
      at("plan", "planner"),
      at("execute", "executor", "planner"),
      at("verification"),
      at("chores"),
      at("reflection", "planner", "executor"),
    ];
    for (let cut = 1; cut < log.length; cut += 1) {
      const { conversation: again, missing } = recoverConversation(
        stored(log.slice(0, cut)),
        options({
          router: ({ phase, unreflected, reflection }) => {
            const next = decisions[decisions.findIndex((decision) => decision.phase === phase) + 1];
            return phase === reflection
              ? unreflected.length === 0
                ? { agents: ["END"], reason: "done" }
                : { agents: [...unreflected], reason: "reflect" }
              : (next ?? { agents: ["END"], reason: "done" });
          },
        }),
      );
      const rest: RunEvent[] = [...missing];
      again.run.subscribe((step) => rest.push(...step));
      if (again.status === "ended") continue;
      const pause = again.state.request === undefined ? await again.send("Add it") : await again.proceed();
      expect([cut, pause.status, pause.outcome?.reason]).toEqual([cut, "ended", "done"]);
      const whole = [...log.slice(0, cut), ...rest];
      expect(whole.map(({ seq }) => seq)).toEqual(whole.map((_, index) => index + 1));
      const opened = whole.filter(roundOpened.is).map(({ data }) => data.round);
      expect(whole.filter(roundClosed.is).map(({ data }) => data.round)).toEqual(opened);
    }
  });

  it("recoverConversation restarts only the unfinished agents of an open round", async () => {
    const gate = latch();
    const { conversation, log, time } = scripted({
      decisions: [{ agents: ["planner", "executor"], reason: "both" }],
      work: {
        planner: () => "planned",
        executor: async () => {
          await gate.promise;
          return "never said";
        },
      },
    });
    void conversation.send("go");
    await time.settle();
    const before = stored(log);
    const runs: string[] = [];
    const { conversation: again, missing } = recoverConversation(
      before,
      options({ onAgentRun: (run) => runs.push(run.id) }),
    );
    expect(missing.map(({ type }) => type)).toEqual(["run.resumed", "child.finished"]);
    expect(missing[1]).toMatchObject({ child: "talk.round-1.executor", reason: "interrupted" });
    await again.proceed();
    // A name of its own, so that its log does not collide with that of the run that died.
    expect(runs).toEqual(["talk.round-1.executor@2"]);
    expect(again.state.rounds[0]?.completions.map(({ agent, text }) => [agent, text])).toEqual([
      ["planner", "planned"],
      ["executor", "executor again"],
    ]);
  });

  it("recoverConversation finishes an end that was cut off without calling router or agents", async () => {
    const { conversation, log } = scripted();
    await conversation.send("hello");
    const cut = log.findIndex(({ type }) => type === "run.finished");
    let calls = 0;
    const { conversation: again } = recoverConversation(
      stored(log.slice(0, cut)),
      options({
        router: () => {
          calls += 1;
          return "?";
        },
      }),
    );
    expect(await again.proceed()).toMatchObject({ status: "ended", outcome: { reason: "done" } });
    expect(calls).toBe(0);
  });

  it("recoverConversation keeps a suspended conversation suspended until resume", async () => {
    const { conversation, log } = scripted({
      decisions: [{ agents: ["planner"], reason: "x" }],
      work: { planner: () => ({ text: "?", question: "?" }) },
    });
    await conversation.send("go");
    conversation.suspend();
    const { conversation: again, missing } = recoverConversation(stored(log), options());
    expect([again.status, missing]).toEqual(["suspended", []]);
    expect(await again.resume()).toMatchObject({ status: "waiting" });
    expect(await again.send("yes")).toMatchObject({ status: "ended" });
  });

  it("recoverConversation leaves an ended conversation ended", async () => {
    const { conversation, log } = scripted();
    await conversation.send("hello");
    const { conversation: again, missing } = recoverConversation(stored(log), options());
    expect([again.status, missing]).toEqual(["ended", []]);
    expect(await again.send("hello?")).toMatchObject({ status: "ended" });
  });

  it("recoverConversation records an agent that no longer exists as failed", async () => {
    const gate = latch();
    const { conversation, log, time } = scripted({
      decisions: [{ agents: ["executor"], reason: "x" }],
      work: {
        executor: async () => {
          await gate.promise;
          return "";
        },
      },
    });
    void conversation.send("go");
    await time.settle();
    const finished: unknown[] = [];
    const { conversation: again } = recoverConversation(
      stored(log),
      options({ agents: [defineAgent({ name: "planner", work: () => "x" })] }),
    );
    again.run.subscribe((step) => {
      for (const event of step) if (agentFinished.is(event)) finished.push(event.data);
    });
    await again.proceed();
    expect(finished).toEqual([
      { round: "round-1", agent: "executor", outcome: "failed", error: "The agent no longer exists." },
    ]);
  });
});

describe("a log without phases", () => {
  const legacy = (header: object): unknown[] => [
    { type: "run.started", seq: 1, at: 1000, run: "old", ...header },
    { type: "message.received", seq: 2, at: 1001, length: 2, hash: "x", excerpt: "hi", from: "user" },
  ];

  it.each([
    [{}, "chat"],
    [{ phase: "" }, "chat"],
    [{ phase: "PLAN", policies: [], interpreters: [], mode: "gate", attempt: 1 }, "plan"],
  ])("a log with the header %j begins in %s", (header, phase) => {
    const { conversation } = recoverConversation(legacy(header), options());
    expect(conversation.phase).toBe(phase);
    expect(conversation.state.moves).toEqual([]);
    expect(conversation.id).toBe("talk");
  });

  it("a log without phases begins in the graph's first phase and gets a move record with its first move", async () => {
    const graph = definePhaseGraph({
      name: "own",
      initial: "triage",
      phases: { triage: { next: ["answer"], final: true }, answer: { next: [], final: true } },
    });
    const { conversation } = recoverConversation<"triage" | "answer">(legacy({}), {
      ...options(),
      graph,
    } as unknown as ConversationOptions<"triage" | "answer">);
    expect(conversation.phase).toBe("triage");
    await conversation.move("answer");
    expect(conversation.state.moves).toMatchObject([{ from: "triage", to: "answer" }]);
  });

  it.each([
    ["nothing at all", [], "DAMAGED_LOG"],
    ["no header", [{ type: "turn.started", seq: 1, at: 1 }], "DAMAGED_LOG"],
    ["no events", ["hello"], "UNKNOWN_EVENT"],
  ])("recoverConversation throws if there is %s", (_what, events, code) => {
    expect(() => recoverConversation(events, options())).toThrow(expect.objectContaining({ code }) as Error);
  });

  it("a log without phases may move to all seven phases", () => {
    expect(Object.keys(conversationPhases.phases)).toHaveLength(7);
  });
});
