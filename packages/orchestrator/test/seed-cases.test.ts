import { conversationPhases, definePhaseGraph, type RunEvent } from "@phasekit/core";
import { edgesFrom } from "@phasekit/core/adapter";
import { manualClock } from "@phasekit/core/testing";
import { describe, expect, it } from "vitest";
import { scripted } from "../src/__fixtures__/scripted-conversation.ts";
import {
  createConversationBoard,
  createMemoryLeaseStore,
  type LeaseEvent,
  recoverConversation,
  reviewCoverage,
} from "../src/index.ts";
import { checkCoverage } from "../src/phases/phase-coverage.ts";
import { parseRoutingDecision } from "../src/rounds/routing-decision.ts";
import { leaseChanged } from "../src/conversation/conversation-events.ts";
import { handOffOf } from "../src/agents/hand-off.ts";
import { judgeCompletion } from "../src/phases/judge-completion.ts";
import { phaseFragments } from "../src/phases/phase-fragments.ts";

// The neutral cases on graphs, hand-offs, reminders, routing, gates and coverage, in our words. `differs` says where we
// deliberately do otherwise, and why. Cases on graphs that have nothing to do with conversations stand in core.

type Phase = keyof typeof conversationPhases.phases;
const PATHS: Readonly<Record<Phase, readonly Phase[]>> = {
  chat: [],
  brainstorm: ["brainstorm"],
  plan: ["plan"],
  execute: ["execute"],
  verification: ["execute", "verification"],
  chores: ["execute", "verification", "chores"],
  reflection: ["execute", "verification", "chores", "reflection"],
};

async function talk(start: Phase = "chat") {
  const made = scripted();
  for (const phase of PATHS[start]) expect(await made.conversation.move(phase)).toEqual({ ok: true });
  return made;
}

describe("graph", () => {
  it("record: a transition record keeps both ends, the full message, who did it, why and when", async () => {
    const { conversation } = await talk();
    await conversation.move("plan", {
      by: "agent",
      name: "PM Agent",
      message: "requirements list",
      why: "requirements gathered",
    });
    expect(conversation.phase).toBe("plan");
    expect(conversation.state.moves).toMatchObject([
      {
        from: "chat",
        to: "plan",
        message: "requirements list",
        name: "PM Agent",
        reason: "requirements gathered",
        at: 1000,
      },
    ]);
  });

  it("record: a hand-off inside the same phase is recorded too", async () => {
    const { conversation } = await talk();
    await conversation.move("chat", { message: "still talking" });
    expect(conversation.phase).toBe("chat");
    expect(conversation.state.moves.map(({ from, to }) => [from, to])).toEqual([["chat", "chat"]]);
    expect(conversation.state.moves.every(({ from, to }) => from === to)).toBe(true);
  });

  it("record: message text with markdown, code fences and quotes is stored unchanged", async () => {
    const message = "# A\n```ts\nlet a='b';\n```\n\"q\" \\ `t`";
    const { conversation, log } = await talk();
    await conversation.move("plan", { message });
    const options = { agents: [{ name: "a", work: () => "x" }], router: () => "?" };
    expect(
      recoverConversation(JSON.parse(JSON.stringify(log)) as unknown[], options).conversation.state.moves[0]?.message,
    ).toBe(message);
  });

  it("persist: every accepted transition is saved with its record, in one step", async () => {
    const { conversation } = await talk();
    const saved: (readonly RunEvent[])[] = [];
    conversation.run.subscribe((step) => saved.push(step));
    await conversation.move("plan", { message: "go" });
    expect(saved.at(-1)?.map(({ type }) => type)).toEqual(["move.requested", "phase.transition"]);
    expect(saved.at(-1)?.[1]).toMatchObject({ from: "chat", to: "plan", message: "go" });
  });

  it.each<{ phase: Phase; allowed: readonly Phase[] }>([
    { phase: "chat", allowed: ["execute", "plan", "brainstorm"] },
    { phase: "brainstorm", allowed: ["chat", "plan", "execute"] },
    { phase: "plan", allowed: ["execute"] },
    { phase: "execute", allowed: ["verification", "chat"] },
    { phase: "verification", allowed: ["chores", "execute", "chat"] },
    { phase: "chores", allowed: ["reflection"] },
    { phase: "reflection", allowed: ["chat"] },
  ])("declared: exits of $phase", async ({ phase, allowed }) => {
    expect(
      edgesFrom(conversationPhases, phase)
        .map(({ to }) => to)
        .sort(),
    ).toEqual([...allowed].sort());
    for (const to of Object.keys(conversationPhases.phases) as readonly Phase[]) {
      if (to === phase) continue;
      const { conversation } = await talk(phase);
      expect([to, (await conversation.move(to)).ok]).toEqual([to, allowed.includes(to)]);
    }
  });

  it("cleanup: going from reflection back to chat clears the per-cycle read list", async () => {
    const { conversation } = await talk("reflection");
    conversation.note("read_files", ["a.ts"]);
    await conversation.move("chat");
    expect(conversation.cycle.notes.get("read_files") ?? null).toBeNull();
  });

  it("unknown: updating an unknown conversation fails loudly", () => {
    expect(() => createConversationBoard().read("missing")).toThrow(
      expect.objectContaining({ code: "UNKNOWN_CONVERSATION" }) as Error,
    );
    expect(() => recoverConversation([], { agents: [{ name: "a", work: () => "x" }], router: () => "?" })).toThrow(
      expect.objectContaining({ code: "DAMAGED_LOG" }) as Error,
    );
  });

  it("suspend: any working phase may be suspended and a restore signal returns to it", async () => {
    const { conversation } = await talk("execute");
    expect(conversation.suspend()).toBe(true);
    expect([conversation.status, conversation.phase]).toEqual(["suspended", "execute"]);
    await conversation.resume();
    expect([conversation.run.view.status, conversation.phase, conversation.run.view.phaseEntry]).toEqual([
      "running",
      "execute",
      "execute#1",
    ]);
  });

  it.each([["ended"], ["suspended"]])("suspend: what is %s cannot be suspended", async (state) => {
    const { conversation } = await talk();
    if (state === "ended") await conversation.cancel();
    else conversation.suspend();
    expect(conversation.suspend()).toBe(false);
  });
});

describe("handoff", () => {
  it.each([
    { age: 31_000, summary: "x", handed: false },
    { age: 1000, summary: undefined, handed: false },
    { age: 29_000, summary: "x", handed: true },
  ])("window: $age ms old with summary $summary: $handed", ({ age, summary, handed }) => {
    const record = { from: "plan", to: "execute", at: 0, seq: 1, ...(summary !== undefined && { summary }) };
    expect(handOffOf(record, { now: age }) !== undefined).toBe(handed);
  });
});

describe("reminder", () => {
  /** What an agent is told over several contacts, each in a phase. */
  const shown = (phases: readonly Phase[]): readonly (readonly string[])[] => {
    let seen: string | undefined;
    return phases.map((phase) => {
      const lines = phaseFragments(conversationPhases, phase, { agent: "pm", seen })
        .filter(({ kind }) => kind === "phase")
        .map(({ text }) => text.split("\n")[0] ?? "");
      seen = phase;
      return lines;
    });
  };

  it.each<{ name: string; phases: readonly Phase[]; injected: readonly (readonly string[])[] }>([
    {
      name: "phase guidance is injected when an agent first joins",
      phases: ["chat"],
      injected: [['You are in the phase "chat".']],
    },
    {
      name: "staying in the same phase injects nothing more",
      phases: ["chat", "chat"],
      injected: [['You are in the phase "chat".'], []],
    },
    {
      name: "moving to a new phase injects a transition notice naming both phases",
      phases: ["chat", "plan"],
      injected: [['You are in the phase "chat".'], ['The phase changed from "chat" to "plan".']],
    },
  ])("entry: $name", ({ phases, injected }) => {
    expect(shown(phases)).toEqual(injected);
  });

  it("entry: the last phase seen is remembered per agent", async () => {
    const { conversation } = scripted({
      decisions: [
        { agents: ["planner", "executor"], reason: "1" },
        { agents: ["planner"], phase: "plan", reason: "2" },
      ],
      work: { planner: ({ phase }) => (phase === "plan" ? { text: "?", question: "?" } : "x") },
    });
    await conversation.send("go");
    expect([...conversation.state.seen]).toEqual([
      ["executor", "chat"],
      ["planner", "plan"],
    ]);
  });

  it("entry: the routing agent gets no phase guidance", async () => {
    const { conversation, requests, of } = scripted({ decisions: [{ agents: ["planner"], reason: "1" }] });
    await conversation.send("go");
    expect(of("nudge.sent")).toEqual([]);
    expect(requests.every(({ message }) => message === undefined)).toBe(true);
  });

  it("immediate: a tool that a restricted phase denies is answered immediately with the phase", async () => {
    // Differs: a reminder after a failure is `reminders` of the watchdog package, which an agent may have among its
    // policies. Here the call is refused before it fails, and the answer names the phase.
    const graph = definePhaseGraph({
      name: "own",
      initial: "planning",
      phases: { planning: { next: [], final: true, activities: { deny: ["edit"] } } },
    });
    const answers: unknown[] = [];
    const { conversation } = scripted({
      graph,
      decisions: [{ agents: ["planner"], reason: "plan" }],
      work: {
        planner: ({ run }) => {
          answers.push(run.beforeTool({ tool: "write_file", input: { path: "a" } }));
          return "x";
        },
      },
    });
    await conversation.send("go");
    expect(answers).toMatchObject([
      { allow: false, text: 'The activity "edit" is not allowed while the conversation is in the phase "planning".' },
    ]);
  });
});

describe("routing and turn", () => {
  it.each([
    ["plain JSON", '{"agents":["executor"],"phase":"execute","reason":"ready"}'],
    [
      "a decision wrapped in a fenced block is still parsed",
      'text\n```json\n{"agents":["executor"],"phase":"execute","reason":"ready"}\n```',
    ],
  ])("parse: %s", (_name, text) => {
    expect(parseRoutingDecision(text).decision).toMatchObject({ agents: ["executor"], phase: "execute" });
  });

  it("history: a new conversation shows one current phase holding the request", async () => {
    const { conversation } = scripted({
      decisions: [{ agents: ["planner"], reason: "x" }],
      work: { planner: () => ({ text: "?", question: "?" }) },
    });
    await conversation.send("Build a login page");
    expect(
      conversation.phaseHistory().map(({ phase, current, result = null }) => ({ phase, current, result })),
    ).toEqual([{ phase: "chat", current: true, result: null }]);
    expect(conversation.phaseHistory()[0]?.entries[0]?.text).toBe("Build a login page");
  });

  it("turn: a completion goes to the open round of its agent, which closes when all have finished", async () => {
    const { conversation } = scripted({ decisions: [{ agents: ["planner", "executor"], reason: "both" }] });
    await conversation.send("go");
    expect(conversation.state.rounds).toMatchObject([
      {
        round: "round-1",
        agents: ["planner", "executor"],
        phase: "chat",
        completions: [{ agent: "planner" }, { agent: "executor" }],
        closed: { why: "complete", missing: [] },
      },
    ]);
  });

  it("turn: a phase change is recorded with the reason of the decision", async () => {
    const { conversation, of } = scripted({
      decisions: [{ agents: ["planner"], phase: "plan", reason: "it is complex" }],
    });
    await conversation.send("go");
    expect(of("phase.transition")[0]).toMatchObject({ from: "chat", to: "plan", reason: "it is complex" });
  });
});

describe("gate", () => {
  const request = (holder: string) => ({ resource: "r", holder, ttlMs: 100, maxHoldMs: 100 });

  it("exclusive: entering the exclusive phase asks for the lock first", async () => {
    const asked: string[] = [];
    const store = createMemoryLeaseStore();
    const { conversation, log, dataOf } = scripted({
      exclusive: {
        phases: ["execute"],
        store: {
          ...store,
          acquire: (wanted) => {
            asked.push(wanted.holder);
            return store.acquire(wanted);
          },
        },
      },
    });
    expect(await conversation.move("execute")).toEqual({ ok: true });
    expect(asked).toEqual(["talk"]);
    expect(dataOf(leaseChanged)).toMatchObject([{ status: "granted" }]);
    expect(log.findIndex(leaseChanged.is)).toBeLessThan(log.findIndex(({ type }) => type === "phase.transition"));
    await conversation.cancel();
  });

  it("exclusive: a refused lock gives position, wait and text, and the phase does not change", async () => {
    const store = createMemoryLeaseStore();
    await store.acquire({ resource: "phase", holder: "other", ttlMs: 60_000, maxHoldMs: 120_000 });
    const { conversation } = scripted({ exclusive: { phases: ["execute"], store } });
    expect(await conversation.move("execute")).toEqual({
      ok: false,
      why: "queued",
      text: [
        'The phase "execute" is held by conversation "other".',
        "This conversation is number 1 in the queue; the wait is about 2 min.",
      ].join(" "),
    });
    expect([conversation.phase, conversation.status]).toEqual(["chat", "queued"]);
  });

  it("queue: first come, first served promotion", async () => {
    const store = createMemoryLeaseStore({ clock: () => 0 });
    const positions: Record<string, number> = {};
    for (const holder of ["c1", "c2", "c3", "c4"]) {
      const answer = await store.acquire(request(holder));
      if (answer.status === "queued") positions[holder] = answer.position;
    }
    expect(positions).toEqual({ c2: 1, c3: 2, c4: 3 });
    const holders: string[] = [];
    for (let n = 0; n < 2; n += 1) {
      const { lease } = await store.status("r");
      await store.release(lease!);
      holders.push((await store.status("r")).lease?.holder ?? "");
    }
    expect(holders).toEqual(["c2", "c3"]);
  });

  it("queue: the holder asking again is simply granted", async () => {
    const store = createMemoryLeaseStore({ clock: () => 0 });
    expect(
      [await store.acquire(request("c1")), await store.acquire(request("c1"))].map(({ status }) => status),
    ).toEqual(["granted", "granted"]);
  });

  it("queue: a released lock never fires its timeout", async () => {
    const clock = manualClock();
    const events: LeaseEvent[] = [];
    const store = createMemoryLeaseStore({ clock: clock.now, onEvent: (event) => events.push(event) });
    const answer = await store.acquire(request("c1"));
    if (answer.status === "granted") await store.release(answer.lease);
    clock.advance(200);
    await store.status("r");
    expect(events.map(({ type }) => type)).toEqual(["granted", "released"]);
  });

  it("queue: lock and queue survive a restart", async () => {
    const clock = manualClock();
    const store = createMemoryLeaseStore({ clock: clock.now });
    for (const holder of ["c1", "c2", "c3"]) await store.acquire(request(holder));
    const again = createMemoryLeaseStore({
      clock: clock.now,
      from: JSON.parse(JSON.stringify(store.snapshot())) as ReturnType<typeof store.snapshot>,
    });
    const { lease, queue } = await again.status("r");
    expect([lease?.holder, queue]).toEqual(["c1", ["c2", "c3"]]);
  });

  it.each([
    {
      name: "open todos block completion and are named; finished ones are not",
      todos: [
        { id: "t1", status: "pending" },
        { id: "t2", status: "done" },
      ],
      reengage: true,
    },
    {
      name: "done or skipped todos do not block",
      todos: [
        { id: "t1", status: "done" },
        { id: "t2", status: "skipped" },
      ],
      reengage: false,
    },
    {
      name: "waiting on other work suspends the block",
      todos: [{ id: "t1", status: "pending" }],
      pendingExternal: 1,
      reengage: false,
    },
  ])("completion: $name", ({ todos, pendingExternal = 0, reengage }) => {
    const verdict = judgeCompletion({ todos, pendingExternal });
    expect(verdict.reengage).toBe(reengage);
    if (verdict.reengage) {
      expect(verdict.text).toContain("t1");
      expect(verdict.text).not.toContain("t2");
    }
  });
});

describe("phase.coverage", () => {
  it.each<{ name: string; answer: () => string; goesOn: boolean }>([
    {
      name: "a reviewer answer of continue returns its text as the next instruction",
      answer: () => "CONTINUE: run research",
      goesOn: true,
    },
    { name: "a reviewer answer of done means the skip was meant", answer: () => "I'M DONE: not needed", goesOn: false },
    {
      name: "when the reviewer call fails the skip is taken as meant",
      answer: () => {
        throw new Error("model");
      },
      goesOn: false,
    },
  ])("$name", async ({ answer, goesOn }) => {
    const review = await reviewCoverage({ missing: ["research"] }, answer);
    expect(review.continue).toBe(goesOn);
    if (review.continue) expect(review.instruction).toBe("CONTINUE: run research");
  });

  it("phase names compare without case", () => {
    expect(checkCoverage({ declared: ["Research"], executed: ["RESEARCH"] }).missing).toEqual([]);
  });

  it("a conversation says which declared phases it never visited", async () => {
    const { conversation } = await talk("verification");
    expect(conversation.coverage()).toEqual({
      visited: ["chat", "execute", "verification"],
      missing: ["brainstorm", "plan", "chores", "reflection"],
    });
    expect(conversation.coverage(["PLAN", "Chat"]).missing).toEqual(["PLAN"]);
  });
});
