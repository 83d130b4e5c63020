import { checkGraph, conversationPhases, type PhaseGraph, phaseStatusTool, type RunEvent } from "@phasekit/core";
import { edgesFrom, phaseSpec } from "@phasekit/core/adapter";
import { describe, expect, it } from "vitest";
import { latch, scripted } from "../src/__fixtures__/scripted-conversation.ts";
import {
  agentFinished,
  completionIgnored,
  conversationEnding,
  lessonLearned,
  roundClosed,
  roundOpened,
  routingCorrected,
} from "../src/conversation/conversation-events.ts";
import { createConversation, modelInitialPhase, phaseFallback, recoverConversation } from "../src/index.ts";

// Phase management of a conversation between many agents, statement by statement: what each phase is, how it is entered
// and left, who decides, what is kept, and what happens when something goes wrong.

const at = (phase: string, ...agents: readonly string[]) => ({
  agents: agents.length === 0 ? ["executor"] : agents,
  phase,
  reason: `to ${phase}`,
});
const END = { agents: ["END"], reason: "done" };
const quality = [at("execute"), at("verification"), at("chores"), at("reflection")];
const ask = () => ({ text: "?", question: "?" });
const stored = (log: readonly RunEvent[]): unknown[] => JSON.parse(JSON.stringify(log)) as unknown[];

describe("the seven phases", () => {
  it.each([
    {
      phase: "chat",
      purpose: /wants/,
      entry: /unclear/,
      exit: /clear enough/,
      agents: ["project-manager"],
      constraints: [/code base/, /implement/, /understanding/],
    },
    {
      phase: "brainstorm",
      purpose: /Explore/,
      entry: /open-ended/,
      exit: /person asks/,
      agents: ["project-manager", "domain experts"],
      constraints: [/open/, /hurry/, /questions/],
    },
    {
      phase: "plan",
      purpose: /Design/,
      entry: /complex/,
      exit: /approved/,
      agents: ["planner"],
      constraints: [/do not implement/, /truly complex/, /carry out/],
    },
    {
      phase: "execute",
      purpose: /Do the work/,
      entry: /clear/,
      exit: /complete/,
      agents: ["executor"],
      constraints: [/tools/, /Deliver/, /decisions/],
    },
    {
      phase: "verification",
      purpose: /Check/,
      entry: /Execution is complete/,
      exit: /verified, or its issues/,
      agents: ["executor", "project-manager"],
      constraints: [/does/, /user would/, /reproduced/],
    },
    {
      phase: "chores",
      purpose: /Tidy/,
      entry: /Verification succeeded/,
      exit: /tidy/,
      agents: ["executor"],
      constraints: [/just done/, /order/, /documented/],
    },
    {
      phase: "reflection",
      purpose: /learned/,
      entry: /Chores are complete/,
      exit: /took part has reflected/,
      agents: ["every agent that took part"],
      constraints: [/once/, /next time/, /trivial/, /this project/],
    },
  ])(
    "$phase has a purpose, a way in, activities, a way out, agents and constraints",
    ({ phase, purpose, entry, exit, agents, constraints }) => {
      const spec = phaseSpec(conversationPhases, phase);
      expect(spec?.purpose).toMatch(purpose);
      expect(spec?.entry?.join()).toMatch(entry);
      expect(spec?.exit?.join()).toMatch(exit);
      expect(spec?.work?.length).toBeGreaterThanOrEqual(3);
      expect(spec?.agents).toEqual(agents);
      expect(spec?.constraints).toHaveLength(constraints.length);
      for (const [index, pattern] of constraints.entries()) expect(spec?.constraints?.[index]).toMatch(pattern);
    },
  );

  it("the seven phases form a valid graph", () => {
    expect(checkGraph(conversationPhases)).toEqual([]);
  });
});

describe("the decision logic", () => {
  it.each([
    ["a clear request with an action verb", "Add a login page", "execute"],
    ["a complex architectural need", "Redesign the architecture of the billing platform", "plan"],
    ["an unclear requirement", "It doesn't work", "chat"],
    ["creative exploration", "What if we had a mascot?", "brainstorm"],
  ])("a model chooses the initial phase of %s", async (_what, request, phase) => {
    let prompt = "";
    const { conversation, contexts } = scripted({
      initialPhase: modelInitialPhase((asked) => {
        prompt = asked;
        return JSON.stringify({ phase, reason: "The model says so." });
      }),
      decisions: [{ agents: ["planner"], reason: "begin" }],
      work: { planner: ask },
    });
    await conversation.send(request);
    expect(prompt).toContain("Action comes before discussion");
    expect(prompt).toContain(request);
    expect(contexts[0]?.phase).toBe(phase);
    expect(conversation.state.moves.map(({ to, reason, message }) => [to, reason, message])).toEqual(
      phase === "chat" ? [] : [[phase, "The model says so.", request]],
    );
  });

  it("without a model, one option puts action before discussion", async () => {
    const { conversation, contexts } = scripted({
      initialPhase: "execute",
      decisions: [{ agents: ["planner"], reason: "begin" }],
      work: { planner: ask },
    });
    await conversation.send("The login page");
    expect(contexts[0]?.phase).toBe("execute");
  });

  it("is pluggable, may be asynchronous, and may fail", async () => {
    for (const [strategy, phase] of [
      [() => Promise.resolve({ phase: "plan", reason: "a model" }), "plan"],
      [() => undefined, "chat"],
      [
        () => {
          throw new Error("x");
        },
        "chat",
      ],
      [() => ({ phase: "reflection", reason: "nonsense" }), "chat"],
    ] as const) {
      const { conversation, contexts } = scripted({
        initialPhase: strategy,
        decisions: [{ agents: ["planner"], reason: "begin" }],
        work: { planner: ask },
      });
      await conversation.send("Add it");
      expect(contexts[0]?.phase).toBe(phase);
    }
  });

  it("the initial phase is chosen when a cycle begins, not in the middle of one", async () => {
    const asked: string[] = [];
    const { conversation, contexts } = scripted({
      initialPhase: (request) => {
        asked.push(request);
        return { phase: "execute", reason: "clear" };
      },
      decisions: [
        { agents: ["executor"], reason: "0" },
        at("chat", "planner"),
        ...quality,
        { agents: ["planner"], reason: "reflect" },
        { agents: ["executor"], reason: "again" },
      ],
      work: { planner: ask, executor: ({ phase, request }) => (request === "three" ? ask() : phase) },
    });
    await conversation.send("one");
    expect(conversation.phase).toBe("chat");
    await conversation.send("two");
    expect(conversation.phase).toBe("reflection");
    expect(asked).toEqual(["one"]);
    await conversation.move("chat");
    await conversation.send("three");
    expect(asked).toEqual(["one", "three"]);
    expect(contexts.at(-1)).toMatchObject({ phase: "execute", request: "three" });
  });

  it.each([
    ["execute", "verification"],
    ["verification", "chores"],
    ["chores", "reflection"],
  ])("after %s the conversation must go to %s before it ends", async (after, owed) => {
    const path = quality.slice(0, quality.findIndex(({ phase }) => phase === after) + 1);
    const { conversation, requests } = scripted({
      decisions: [...path, END, { agents: ["planner"], reason: "well" }],
      work: { planner: ask },
    });
    await conversation.send("Add it");
    expect(requests[path.length]?.owed).toContain(owed);
    expect(requests[path.length + 1]?.feedback).toContain(`"${owed}"`);
    expect(conversation.status).toBe("waiting");
  });

  it("verification may send the work back to execute, which is then verified again", async () => {
    const { conversation } = scripted({
      decisions: [
        at("execute"),
        at("verification"),
        at("execute"),
        END,
        at("verification"),
        at("chores"),
        at("reflection"),
      ],
    });
    expect(await conversation.send("Add it")).toMatchObject({ outcome: { reason: "done", verified: true } });
    expect(conversation.state.visits.map(({ phase }) => phase)).toEqual([
      "chat",
      "execute",
      "verification",
      "execute",
      "verification",
      "chores",
      "reflection",
    ]);
  });

  it("a move that the graph does not allow is rejected and keeps the phase", async () => {
    const { conversation } = scripted();
    for (const to of ["verification", "chores", "reflection"] as const)
      expect((await conversation.move(to)).ok).toBe(false);
    expect([conversation.phase, conversation.state.moves]).toEqual(["chat", []]);
  });
});

describe("exit criteria", () => {
  it.each([
    ["brainstorm", "plan"],
    ["plan", "execute"],
  ] as const)("a graph can reserve the way out of %s for the user", async (from, to) => {
    const graph: PhaseGraph<keyof typeof conversationPhases.phases> = {
      ...conversationPhases,
      phases: {
        ...conversationPhases.phases,
        [from]: { ...conversationPhases.phases[from], next: [{ to, by: ["user"] }] },
      },
    };
    const { conversation, dataOf } = scripted({
      graph,
      initialPhase: from,
      decisions: [at(to, "planner"), { agents: ["planner"], reason: "stay" }],
      work: { planner: ask },
    });
    await conversation.send("Add it");
    expect(conversation.phase).toBe(from);
    expect(dataOf(routingCorrected)).toMatchObject([{ why: "refused-move" }]);
    expect(await conversation.move(to, { by: "user", why: "Go ahead." })).toEqual({ ok: true });
  });
});

describe("attempts", () => {
  it.each([
    { caps: {}, calls: 3 },
    { caps: { withoutProgress: 1 }, calls: 1 },
    { caps: { withoutProgress: 2 }, calls: 2 },
    { caps: { absolute: 2 }, calls: 2 },
  ])("an agent with open items is accepted with $caps at attempt $calls", async ({ caps, calls }) => {
    let called = 0;
    const { conversation } = scripted({
      retryCaps: caps,
      decisions: [{ agents: ["planner"], reason: "x" }],
      work: {
        planner: ({ run }) => {
          called += 1;
          run.record({
            type: "todos.updated",
            todos: [
              { id: "t1", status: "pending" },
              { id: "t2", status: "done" },
            ],
          });
          return "done";
        },
      },
    });
    await conversation.send("go");
    expect(called).toBe(calls);
  });
});

describe("routing", () => {
  it("a decision names agents, a phase if it changes, and a reason", async () => {
    const { conversation, dataOf } = scripted({
      decisions: [
        '```json\n{"agents":["planner"],"phase":"plan","reason":"complex"}\n```',
        { agents: ["planner"], reason: "more" },
      ],
    });
    await conversation.send("Add it");
    expect(dataOf(roundOpened).slice(0, 2)).toMatchObject([
      { agents: ["planner"], phase: "plan", reason: "complex" },
      { phase: "plan", reason: "more" },
    ]);
  });

  it("every decision opens a round with its own id, which tracks its agents until all have finished", async () => {
    const { conversation, dataOf } = scripted({
      decisions: [
        { agents: ["planner", "executor"], reason: "1" },
        { agents: ["planner"], reason: "2" },
      ],
    });
    await conversation.send("go");
    expect(dataOf(roundOpened).map(({ round }) => round)).toEqual(["round-1", "round-2"]);
    expect(dataOf(roundClosed)).toEqual([
      { round: "round-1", why: "complete", missing: [] },
      { round: "round-2", why: "complete", missing: [] },
    ]);
  });

  it("several agents are routed in parallel", async () => {
    const met = { planner: latch(), executor: latch() };
    const { conversation } = scripted({
      decisions: [{ agents: ["planner", "executor"], reason: "1" }],
      work: {
        planner: async () => {
          met.planner.open();
          await met.executor.promise;
          return "x";
        },
        executor: async () => {
          met.executor.open();
          await met.planner.promise;
          return "y";
        },
      },
    });
    expect(await conversation.send("go")).toMatchObject({ status: "ended" });
  });

  it("agents are usually those of the phase, and in reflection all that took part", async () => {
    const { conversation, dataOf } = scripted({
      decisions: Array.from({ length: 99 }, () => "?"),
      initialPhase: () => ({ phase: "plan", reason: "complex" }),
    });
    // The router is of no use here: these are the choices of the fallback.
    await conversation.send("Design it");
    expect(dataOf(roundOpened).map(({ phase, agents }) => [phase, ...agents])).toEqual([["plan", "planner"]]);
    await conversation.proceed();
    const executing = scripted({
      decisions: Array.from({ length: 99 }, () => "?"),
      initialPhase: () => ({ phase: "execute", reason: "clear" }),
    });
    await executing.conversation.send("Add it");
    expect(executing.dataOf(roundOpened).map(({ phase, agents }) => [phase, ...agents])).toEqual([
      ["execute", "executor"],
      ["verification", "executor"],
      ["chores", "executor"],
      ["reflection", "executor"],
    ]);
    for (const phase of ["chat", "brainstorm"] as const) {
      const talking = scripted({ decisions: Array.from({ length: 99 }, () => "?"), initialPhase: phase });
      await talking.conversation.send("hm");
      expect(talking.dataOf(roundOpened).map(({ phase: at, agents }) => [at, ...agents])).toEqual([
        [phase, "project-manager"],
      ]);
    }
  });

  it("phaseFallback is a router of its own: it needs no model and ends when nothing is owed", async () => {
    const conversation = createConversation({
      agents: [{ name: "executor", work: ({ phase }) => ({ text: phase, passed: true }) }],
      router: phaseFallback,
      initialPhase: "execute",
    });
    expect(await conversation.send("Add it")).toMatchObject({ outcome: { reason: "done", verified: true } });
    expect(conversation.state.rounds.map(({ phase, by }) => [phase, by])).toEqual([
      ["execute", "router"],
      ["verification", "router"],
      ["chores", "router"],
      ["reflection", "router"],
    ]);
  });
});

describe("persistence and recovery", () => {
  it("a conversation knows its phase, since when, all its transitions and its rounds", async () => {
    const { conversation, time } = scripted({
      decisions: [at("plan", "planner"), at("execute", "planner")],
      work: { planner: ({ phase }) => (phase === "execute" ? ask() : "planned") },
    });
    await time.advance(500);
    await conversation.send("Add it");
    expect(conversation.phase).toBe("execute");
    expect(conversation.run.view.phaseStartedAt).toBe(1500);
    expect(conversation.state.moves.map(({ from, to }) => `${from} > ${to}`)).toEqual([
      "chat > plan",
      "plan > execute",
    ]);
    expect(conversation.state.rounds.map(({ phase }) => phase)).toEqual(["plan", "execute"]);
  });

  it("an update is validated, recorded in full and saved as one step, and clears the cycle's state", async () => {
    const { conversation } = scripted();
    for (const phase of ["execute", "verification", "chores", "reflection"] as const) await conversation.move(phase);
    conversation.note("readFiles", ["a"]);
    const steps: (readonly RunEvent[])[] = [];
    conversation.run.subscribe((step) => steps.push(step));
    await conversation.move("chat", { by: "user", name: "Ann", why: "next", message: "m", summary: "s" });
    expect(steps.at(-1)?.map(({ type }) => type)).toEqual(["move.requested", "phase.transition"]);
    expect(conversation.state.moves.at(-1)).toMatchObject({
      from: "reflection",
      to: "chat",
      message: "m",
      at: 1000,
      agent: "Ann",
      name: "Ann",
      reason: "next",
      summary: "s",
    });
    expect(conversation.cycle.notes.size).toBe(0);
  });

  it("phase, records and rounds come back from the event history", async () => {
    const { conversation, log } = scripted({
      decisions: [at("plan", "planner"), at("execute", "planner")],
      work: { planner: ({ phase }) => (phase === "execute" ? ask() : { text: "planned", summary: "s" }) },
    });
    await conversation.send("Add it");
    const { conversation: again } = recoverConversation(stored(log), {
      agents: [{ name: "planner", work: () => "x" }],
      router: () => "?",
    });
    expect([again.phase, again.state.moves, again.state.rounds]).toEqual([
      conversation.phase,
      conversation.state.moves,
      conversation.state.rounds,
    ]);
  });
});

describe("agents that know their phase", () => {
  it("agents get their phase with the previous one, constraints, definitions and the hand-off", async () => {
    let shown: readonly { readonly kind: string; readonly text: string }[] = [];
    const { conversation, contexts } = scripted({
      decisions: [at("plan", "planner"), at("execute")],
      work: {
        executor: ({ fragments }) => {
          shown = fragments;
          return ask();
        },
      },
    });
    await conversation.send("Add it");
    expect(contexts[1]).toMatchObject({
      phase: "execute",
      previousPhase: "plan",
      handOff: { summary: "planner: planner is done" },
    });
    expect(shown.map(({ kind }) => kind)).toEqual(["definitions", "phase", "history", "hand-off", "reason"]);
    for (const rule of phaseSpec(conversationPhases, "execute")?.constraints ?? [])
      expect(shown[1]?.text).toContain(rule);
    for (const phase of Object.keys(conversationPhases.phases)) expect(shown[0]?.text).toContain(`- ${phase}: `);
  });

  it("tools adapt to the phase: the words of complete, and lesson in reflection only", async () => {
    const seen: (readonly [string, boolean, string])[] = [];
    const { conversation } = scripted({
      decisions: quality,
      work: {
        executor: async ({ phase, tools, call }) => {
          seen.push([
            phase,
            tools.some(({ name }) => name === "lesson"),
            (await call("complete", { text: phase })).text.slice(0, 48),
          ]);
          return undefined;
        },
      },
    });
    await conversation.send("Add it");
    expect(seen).toEqual([
      ["execute", false, 'Recorded: your part of the phase "execute" is co'],
      ["verification", false, 'Recorded: your part of the phase "verification" '],
      ["chores", false, 'Recorded: your part of the phase "chores" is com'],
      ["reflection", true, 'Recorded: your part of the phase "reflection" is'],
    ]);
  });

  it("agents may ask for the phase with a tool of their own", async () => {
    const { conversation } = scripted();
    await conversation.move("plan");
    expect(await phaseStatusTool(conversation.run).execute({})).toMatchObject({
      data: { phase: "plan", next: ["execute"] },
    });
  });
});

describe("quality gates", () => {
  it("quality gates hold by default", async () => {
    const { conversation, dataOf } = scripted({
      decisions: [at("execute"), END, { agents: ["planner"], reason: "hm" }],
      work: { planner: ask },
    });
    await conversation.send("Add it");
    expect(dataOf(routingCorrected)).toMatchObject([{ why: "gate" }]);
  });

  it("quality gates are skipped only if a user asks for it, with a warning", async () => {
    const { conversation, of } = scripted({ decisions: [at("execute", "planner"), END], work: { planner: ask } });
    await conversation.send("Add it, quickly");
    expect(conversation.skip("verification", { by: "policy", why: "quick" }).skipped).toBe(false);
    expect(conversation.skip("verification", { by: "user", why: "A quick try is all I want." })).toMatchObject({
      skipped: true,
      text: expect.stringContaining("Not ensured") as string,
    });
    expect(await conversation.send("go on")).toMatchObject({ status: "ended", outcome: { reason: "done" } });
    expect(of("phase.skipped")).toMatchObject([
      { phase: "verification", actor: "user", why: "A quick try is all I want." },
    ]);
  });

  it("every participant reflects, and each once", async () => {
    const { conversation, dataOf } = scripted({
      decisions: [
        at("execute", "executor", "planner"),
        at("verification"),
        at("chores"),
        at("reflection", "executor"),
        { agents: ["executor", "planner"], reason: "all" },
      ],
    });
    expect(await conversation.send("Add it")).toMatchObject({ outcome: { verified: true } });
    const reflecting = new Set(
      dataOf(roundOpened)
        .filter(({ phase }) => phase === "reflection")
        .map(({ round }) => round),
    );
    expect(
      dataOf(agentFinished)
        .filter(({ round }) => reflecting.has(round))
        .map(({ agent }) => agent),
    ).toEqual(["executor", "planner"]);
  });
});

describe("special behaviour", () => {
  it("END is detected in a decision, ends the conversation cleanly, and prevents further work", async () => {
    const { conversation, dataOf, contexts, requests } = scripted({ decisions: [...quality, END] });
    expect(await conversation.send("Add it")).toMatchObject({
      status: "ended",
      phase: "reflection",
      outcome: { reason: "done", verified: true },
    });
    expect(dataOf(conversationEnding)).toHaveLength(1);
    const called = [contexts.length, requests.length];
    await conversation.send("more");
    await conversation.proceed();
    expect([contexts.length, requests.length]).toEqual(called);
  });

  it.each([
    { waited: 29_999, handed: true },
    { waited: 30_000, handed: false },
  ])("a hand-off reaches the agent within 30 seconds: after $waited ms, $handed", async ({ waited, handed }) => {
    const { conversation, contexts, time } = scripted({
      decisions: [
        { agents: ["planner"], reason: "1" },
        { agents: ["executor"], reason: "2" },
        { agents: ["executor"], reason: "3" },
      ],
      work: { executor: ask },
    });
    await conversation.send("a");
    await time.advance(waited);
    await conversation.send("b");
    expect(contexts.at(-1)?.handOff !== undefined).toBe(handed);
  });

  it("going from reflection to chat clears what was read; no other move does", async () => {
    const cleared = new Set<string>();
    for (const from of Object.keys(conversationPhases.phases) as readonly (keyof typeof conversationPhases.phases)[]) {
      for (const { to } of edgesFrom(conversationPhases, from)) {
        const { conversation } = scripted();
        const way: readonly (keyof typeof conversationPhases.phases)[] =
          from === "chat"
            ? []
            : from === "brainstorm" || from === "plan"
              ? [from]
              : (["execute", "verification", "chores", "reflection"] as const).slice(
                  0,
                  ["execute", "verification", "chores", "reflection"].indexOf(from) + 1,
                );
        for (const phase of way) await conversation.move(phase);
        conversation.note("readFiles", ["a"]);
        await conversation.move(to as "chat");
        if (conversation.cycle.notes.size === 0) cleared.add(`${from} > ${to}`);
      }
    }
    expect([...cleared]).toEqual(["reflection > chat"]);
  });
});

describe("performance", () => {
  it("a transition is one batch, and a round a few", async () => {
    const { conversation } = scripted({ decisions: [at("plan", "planner")], work: { planner: ask } });
    const batches: number[] = [];
    conversation.run.subscribe((step) => batches.push(step.length));
    await conversation.move("brainstorm");
    expect(batches).toEqual([1, 2]);
  });

  it("completions are tracked on their own, whatever the order", async () => {
    const gates = { planner: latch(), executor: latch() };
    const { conversation, dataOf, time } = scripted({
      decisions: [{ agents: ["planner", "executor"], reason: "1" }],
      work: {
        planner: async () => {
          await gates.planner.promise;
          return "p";
        },
        executor: async () => {
          await gates.executor.promise;
          return "e";
        },
      },
    });
    const sent = conversation.send("go");
    gates.executor.open();
    await time.settle();
    gates.planner.open();
    await sent;
    expect(dataOf(agentFinished).map(({ agent }) => agent)).toEqual(["executor", "planner"]);
  });

  it("history is pruned at hand and complete in the log", async () => {
    let n = 0;
    const { conversation, dataOf } = scripted({
      decisions: Array.from({ length: 260 }, () => ({ agents: ["planner"], reason: "x" })),
      roundCaps: { absolute: 1000 },
      work: { planner: () => String((n += 1)) },
    });
    await conversation.send("go");
    expect([conversation.state.rounds.length, dataOf(roundOpened).length]).toEqual([200, 260]);
  });
});

describe("integration", () => {
  it("an event handler finds recent transitions, takes the hand-off and passes the phase on", async () => {
    const { conversation, contexts } = scripted({ decisions: [at("execute", "executor")], work: { executor: ask } });
    await conversation.move("plan", { name: "planner", message: "a plan", summary: "Three steps." });
    await conversation.send("Go ahead");
    expect(contexts[0]).toMatchObject({ phase: "execute", previousPhase: "plan" });
    expect(conversation.state.moves[0]?.summary).toBe("Three steps.");
  });

  it("a user's message in the phase of a fresh hand-off reaches the agent with it", async () => {
    const { conversation, contexts } = scripted({
      decisions: [{ agents: ["executor"], reason: "take over" }],
      work: { executor: ask },
    });
    await conversation.move("plan", { name: "planner", summary: "Three steps." });
    await conversation.send("Go ahead");
    expect(contexts[0]?.handOff).toMatchObject({ from: "chat", to: "plan", summary: "Three steps.", by: "planner" });
  });

  it("other systems follow every transition as an event", async () => {
    const { conversation } = scripted();
    const seen: string[] = [];
    conversation.run.subscribe((step) => {
      for (const event of step) if (event.type === "phase.transition") seen.push(`${event.from} > ${event.to}`);
    });
    await conversation.move("plan");
    await conversation.move("execute");
    expect(seen).toEqual(["chat > plan", "plan > execute"]);
  });
});

describe("when something goes wrong", () => {
  it("an agent that does not exist: noticed, corrected, learned, retried, and the work continues", async () => {
    const { conversation, dataOf, requests } = scripted({
      decisions: [
        { agents: ["coder"], reason: "?" },
        { agents: ["executor"], reason: "then" },
      ],
    });
    expect(await conversation.send("go")).toMatchObject({ status: "ended" });
    expect(dataOf(routingCorrected)).toMatchObject([{ why: "unknown-agent", attempt: 0 }]);
    expect(requests[1]?.feedback).toContain("project-manager, planner, executor");
    expect(dataOf(lessonLearned)).toMatchObject([{ from: "routing" }]);
    expect(dataOf(roundOpened)).toMatchObject([{ agents: ["executor"] }]);
  });

  it("a transition that is not allowed is recorded, keeps the phase, and the router must choose another", async () => {
    const { conversation, of, dataOf } = scripted({
      decisions: [at("reflection"), at("plan", "planner")],
      work: { planner: ask },
    });
    await conversation.send("go");
    expect(of("phase.refused")).toMatchObject([{ from: "chat", to: "reflection" }]);
    expect(dataOf(roundOpened)).toMatchObject([{ phase: "plan" }]);
  });

  it("a conversation without a phase: begins in chat, and gets one with its first update", async () => {
    const { conversation } = recoverConversation([{ type: "run.started", seq: 1, at: 1, run: "old" }], {
      agents: [{ name: "a", work: () => "x" }],
      router: () => "?",
    });
    expect([conversation.phase, conversation.state.moves.length]).toEqual(["chat", 0]);
    await conversation.move("plan");
    expect(conversation.state.moves).toHaveLength(1);
  });

  it("two agents that finish at the same time: both completions are kept, and the round closes once", async () => {
    const gate = latch();
    const work = async () => {
      await gate.promise;
      return { text: "x", phase: "execute" as const };
    };
    const { conversation, dataOf, of, time } = scripted({
      decisions: [{ agents: ["planner", "executor"], reason: "1" }],
      work: { planner: work, executor: ({ phase }) => (phase === "chat" ? work() : "y") },
    });
    const sent = conversation.send("go");
    await time.settle();
    gate.open();
    await time.advance(10);
    await sent;
    expect(dataOf(agentFinished).filter(({ round }) => round === "round-1")).toHaveLength(2);
    expect(dataOf(roundClosed).filter(({ round }) => round === "round-1")).toHaveLength(1);
    expect(
      of("phase.transition").filter((event) => event.type === "phase.transition" && event.to === "execute"),
    ).toHaveLength(1);
    expect(dataOf(completionIgnored)).toEqual([]);
  });
});
