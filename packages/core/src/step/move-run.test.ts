import { describe, expect, it } from "vitest";
import { loggedRun, stored } from "../__fixtures__/logged-run.ts";
import { transition } from "../policies/decision.ts";
import type { Actor } from "../events/run-event.ts";
import { definePhaseGraph } from "../graph/phase-graph.ts";
import { definePolicy, type Policy } from "../policies/policy.ts";
import { replayRun } from "../log/replay-run.ts";

const graph = definePhaseGraph({
  name: "work",
  initial: "plan",
  phases: {
    plan: {
      next: ["code", { to: "review", by: ["judge", "user"] }, { to: "ship", guard: "green" }],
      purpose: "settle what to do",
    },
    code: {
      next: ["review", "plan", { to: "ship", guard: (run) => run.toolCalls > 0 }],
      exit: ["it compiles", "it is formatted"],
    },
    review: { next: ["ship", "code"] },
    ship: { next: [], final: true },
  },
});

/** Provides the guard "green", open once progress was made. */
const green = (): Policy<{ open: boolean }> =>
  definePolicy({
    name: "green-light",
    initial: (): { open: boolean } => ({ open: false }),
    observe: {
      "progress.made": (state) => {
        state.open = true;
      },
    },
    guards: { green: (_run, { open }) => open || "The light is red." },
  });

const work = () => loggedRun({ graph, policies: [green()] });

describe("a move", () => {
  it.each([
    { options: {}, reason: "No reason was given." },
    { options: { by: "user", name: "Ann" }, reason: 'The user "Ann" asked for it.' },
    { options: { by: "agent", name: "coder" }, reason: 'The agent "coder" asked for it.' },
    { options: { summary: "All settled." }, reason: "All settled." },
    { options: { why: "It is time.", summary: "All settled." }, reason: "It is time." },
  ] as const)("has a reason with $options: $reason", ({ options, reason }) => {
    const { run, of } = work();
    run.transition("code", options);
    expect(of("phase.transition")).toMatchObject([{ reason }]);
  });

  it("says how many different files were read in the entry that is left", () => {
    const { run, of } = work();
    for (const path of ["a.ts", "b.ts", "a.ts"])
      run.record({ type: "tool.finished", tool: "read_file", input: { path }, outcome: "ok" });
    run.record({ type: "tool.finished", tool: "read_file", input: { path: "c.ts" }, outcome: "error" });
    run.transition("code");
    run.transition("review");
    expect(of("phase.transition").map(({ metrics }) => metrics.filesRead)).toEqual([2, 0]);
  });
});

describe("a move", () => {
  it("a move along an edge happens, and records both ends, who, why, the message and the entry's spending", () => {
    const { run, of, clock } = work();
    run.record({ type: "turn.started", agent: "dev" });
    run.record({ type: "tool.finished", tool: "Read", outcome: "error" });
    run.record({ type: "model.answered", usage: { inputTokens: 100, outputTokens: 20 } });
    clock.advance(250);
    expect(
      run.transition("code", {
        by: "agent",
        name: "Planner",
        agent: "dev",
        why: "the plan stands",
        message: "# Plan\n```ts\nlet a = 'b';\n```",
        summary: "three steps",
        data: { steps: 3 },
      }),
    ).toBe(true);
    expect(run.view).toMatchObject({
      phase: "code",
      phaseEntry: "code#1",
      previousPhase: "plan",
      turnsInPhase: 0,
      phaseStartedAt: 1250,
    });
    expect(of("phase.transition")).toEqual([
      {
        type: "phase.transition",
        seq: 6,
        at: 1250,
        cause: 5,
        by: "Planner",
        agent: "dev",
        turn: 1,
        from: "plan",
        to: "code",
        actor: "agent",
        reason: "the plan stands",
        message: "# Plan\n```ts\nlet a = 'b';\n```",
        summary: "three steps",
        name: "Planner",
        data: { steps: 3 },
        outcome: "completed",
        entry: "plan#1",
        metrics: {
          turns: 1,
          iterations: 1,
          toolCalls: 1,
          toolErrors: 1,
          activeMs: 250,
          inputTokens: 100,
          outputTokens: 20,
          filesRead: 0,
        },
      },
    ]);
    expect(run.view.transitions).toMatchObject([
      {
        from: "plan",
        to: "code",
        entry: "plan#1",
        seq: 6,
        actor: "agent",
        outcome: "completed",
        summary: "three steps",
      },
    ]);
    expect(run.view.entry).toMatchObject({ turns: 0, toolCalls: 0, activeMs: 0 });
  });

  it.each([
    {
      what: "without an edge",
      to: "review",
      by: "agent",
      why: "not-allowed",
      text: 'Only judge or user may move the run to "review".',
    },
    {
      what: "to an unknown phase",
      to: "deploy",
      by: "user",
      why: "unknown-phase",
      text: 'The graph has no phase "deploy". It has: plan, code, review, ship.',
    },
    {
      what: "to a phase with a hostile name",
      to: "constructor",
      by: "user",
      why: "unknown-phase",
      text: 'The graph has no phase "constructor". It has: plan, code, review, ship.',
    },
    { what: "past a closed guard", to: "ship", by: "user", why: "guard", text: "The light is red." },
  ])("$what is refused and recorded", ({ to, by, why, text }) => {
    const { run, of, log } = work();
    expect(run.transition(to as "code", { by: by as Actor })).toBe(false);
    expect(run.view.phase).toBe("plan");
    expect(of("phase.refused")).toEqual([
      {
        type: "phase.refused",
        seq: 3,
        at: 1000,
        cause: 2,
        by,
        do: "transition",
        from: "plan",
        to,
        actor: by,
        why,
        text,
      },
    ]);
    expect(log).toHaveLength(3);
  });

  it("a move with no edge says where a run may go", () => {
    const { run, of } = work();
    run.transition("code");
    run.transition("review");
    run.transition("plan");
    expect(of("phase.refused")[0]).toMatchObject({
      why: "no-edge",
      text: 'From "review" a run may go to: ship, code; not to "plan".',
    });
    run.transition("ship");
    run.transition("plan");
    expect(of("phase.refused")[1]).toMatchObject({
      why: "no-edge",
      text: 'From "ship" a run may go to: nowhere; not to "plan".',
    });
  });

  it("a refused move is recorded once per mover, move and entry", () => {
    const { run, of } = work();
    for (let n = 0; n < 5; n += 1) run.transition("ship");
    run.transition("ship", { name: "Ann" });
    run.transition("review", { by: "agent" });
    expect(of("phase.refused").map(({ by, to }) => [by, to])).toEqual([
      ["user", "ship"],
      ["Ann", "ship"],
      ["agent", "review"],
    ]);
    run.transition("code");
    run.transition("plan");
    run.transition("ship");
    expect(of("phase.refused")).toHaveLength(4);
  });

  it.each<{ by: Actor; moved: boolean }>([
    { by: "judge", moved: true },
    { by: "user", moved: true },
    { by: "agent", moved: false },
    { by: "policy", moved: false },
    { by: "host", moved: false },
  ])("a move on an edge for judges and users by $by, moved: $moved", ({ by, moved }) => {
    const { run } = work();
    expect(run.view.canMove("review", by)).toBe(moved);
    expect(run.transition("review", { by })).toBe(moved);
  });

  it("a move passes a named guard once it opens", () => {
    const { run } = work();
    expect(run.view.canMove("ship")).toBe(false);
    run.record({ type: "progress.made", what: "tests pass" });
    expect(run.view.canMove("ship")).toBe(true);
    expect(run.transition("ship")).toBe(true);
  });

  it("a move passes a guard that is a function, with a general message when the function returns only false", () => {
    const { run, of } = work();
    run.transition("code");
    expect(run.transition("ship")).toBe(false);
    expect(of("phase.refused")[0]).toMatchObject({
      why: "guard",
      text: 'The condition for moving to "ship" is not met.',
    });
    run.record({ type: "tool.finished", tool: "Bash", outcome: "ok" });
    expect(run.transition("ship")).toBe(true);
  });

  it("a move takes any of several edges to one phase that lets it pass", () => {
    const doors = definePhaseGraph({
      initial: "a",
      phases: {
        a: {
          next: [
            { to: "b", by: ["judge"] },
            { to: "b", guard: () => "closed" },
            { to: "b", by: ["user"], guard: () => true },
          ],
        },
        b: { next: [] },
      },
    });
    const { run, of } = loggedRun({ graph: doors });
    expect(run.transition("b", { by: "agent" })).toBe(false);
    // The first refusal is the one that is told.
    expect(of("phase.refused")[0]).toMatchObject({ why: "not-allowed" });
    expect(run.transition("b", { by: "user" })).toBe(true);
  });

  it.each([
    ["named", "bad" as const, "bad"],
    [
      "a function",
      (): boolean => {
        throw new Error("no light");
      },
      "guard",
    ],
  ])("a move past a guard (%s) that throws is refused; the host does not notice", (_what, guard, name) => {
    const failing = definePolicy({
      name: "failing",
      guards: {
        bad: () => {
          throw new Error("no light");
        },
      },
    });
    const { run, of } = loggedRun({
      graph: definePhaseGraph({ initial: "a", phases: { a: { next: [{ to: "b", guard }] }, b: { next: [] } } }),
      policies: [failing],
    });
    expect(run.view.canMove("b")).toBe(false);
    expect(run.transition("b")).toBe(false);
    expect(of("policy.failed")[0]).toMatchObject({ policy: name, during: "guard", message: "Error: no light" });
    expect(of("phase.refused")[0]).toMatchObject({ why: "guard", text: "The condition for this move failed." });
    expect(of("phase.transition")).toEqual([]);
  });

  it("a move to the current phase does nothing and is not a refusal", () => {
    const { run, log } = work();
    expect(run.transition("plan")).toBe(false);
    expect(run.view.canMove("plan")).toBe(false);
    expect(log.map(({ type }) => type)).toEqual(["run.started", "move.requested"]);
    expect(run.view.phaseEntry).toBe("plan#1");
  });

  it.each([
    { outcome: "failed", given: {}, expected: { outcome: "failed", predicate: "unknown" } },
    {
      outcome: "failed",
      given: { predicate: "tests_failed" },
      expected: { outcome: "failed", predicate: "tests_failed" },
    },
    {
      outcome: "failed",
      given: { reason: "validation_giveup" as const },
      expected: { outcome: "failed", endReason: "validation_giveup" },
    },
    { outcome: "abandoned", given: {}, expected: { outcome: "abandoned" } },
  ] as const)("a move that leaves an entry as $outcome with $given says why", ({ outcome, given, expected }) => {
    const { run, of } = work();
    run.transition("code", { outcome, ...given });
    expect(of("phase.transition")[0]).toMatchObject(expected);
    expect(Object.keys(of("phase.transition")[0] ?? {}).filter((key) => key === "predicate")).toHaveLength(
      "predicate" in expected ? 1 : 0,
    );
  });

  it("a move numbers the entries of a phase", () => {
    const { run } = work();
    run.transition("code");
    run.transition("plan");
    run.transition("code");
    expect(run.view.phaseEntry).toBe("code#2");
    expect(run.view.transitions.map(({ entry }) => entry)).toEqual(["plan#1", "code#1", "plan#2"]);
  });
});

describe("compare-and-set", () => {
  it("two agents that finish simultaneously cannot both take an edge", () => {
    const { run, of } = work();
    expect(run.transition("code", { from: "plan", by: "agent", name: "A" })).toBe(true);
    expect(run.transition("code", { from: "plan", by: "agent", name: "B" })).toBe(false);
    expect(of("phase.transition")).toHaveLength(1);
    expect(of("phase.refused")).toMatchObject([
      { by: "B", why: "stale", text: 'The run is in "code#1", no longer in "plan".' },
    ]);
  });

  it.each([
    { from: "plan", moved: true },
    { from: "plan#2", moved: true },
    { from: "plan#1", moved: false },
    { from: "code", moved: false },
  ])("a move from $from in plan#2, moved: $moved", ({ from, moved }) => {
    const { run } = work();
    run.transition("code");
    run.transition("plan");
    expect(run.transition("code", { from: from as "plan" })).toBe(moved);
  });
});

describe("a policy's move", () => {
  const mover = (name: string, to: "code" | "review" | "plan"): Policy<undefined, "code" | "review" | "plan"> =>
    definePolicy({
      name,
      mentions: ["code", "review", "plan"],
      decide: { "progress.made": () => transition(to, { reason: "progress", summary: name }) },
    });

  it("a policy's move takes place, and a command from the same moment does not matter", () => {
    const { run, of } = loggedRun({ graph, policies: [green(), mover("one", "code")] });
    run.record({ type: "progress.made", what: "x" });
    expect(of("phase.transition")[0]).toMatchObject({
      by: "one",
      actor: "policy",
      from: "plan",
      to: "code",
      reason: "progress",
      summary: "one",
      outcome: "completed",
    });
  });

  it("the first of two moves for one event wins; the second is superseded, though its edge exists", () => {
    const { run, of } = loggedRun({ graph, policies: [green(), mover("one", "code"), mover("two", "review")] });
    run.record({ type: "progress.made", what: "x" });
    expect(run.view.phase).toBe("code");
    expect(of("phase.refused")).toMatchObject([
      { by: "two", why: "superseded", to: "review", text: 'The run moved to "code" for the same event.' },
    ]);
  });

  it("two moves that agree are one move and no refusal", () => {
    const { run, of } = loggedRun({ graph, policies: [green(), mover("one", "code"), mover("two", "code")] });
    run.record({ type: "progress.made", what: "x" });
    expect(of("phase.transition")).toHaveLength(1);
    expect(of("phase.refused")).toHaveLength(0);
  });

  it("a policy's move without an edge is refused once per entry, however often it is decided", () => {
    const { run, of } = loggedRun({ graph, policies: [green(), mover("one", "review")] });
    for (let n = 0; n < 4; n += 1) run.record({ type: "progress.made", what: "x" });
    expect(of("phase.refused")).toHaveLength(1);
    expect(run.view.phase).toBe("plan");
  });
});

describe("required visits", () => {
  const gated = definePhaseGraph({
    initial: "execute",
    phases: {
      execute: { next: ["verify", "chores", "notes"] },
      notes: { next: ["chores", "execute", "verify"] },
      verify: { next: ["chores", "execute"] },
      chores: { next: ["execute", "verify"] },
    },
    required: [{ after: "execute", visit: "verify", before: "chores" }],
  });

  it("a required visit is owed until it is made; a detour does not count, and entering again owes it anew", () => {
    const { run, of } = loggedRun({ graph: gated });
    expect(run.view.owed).toEqual([{ after: "execute", visit: "verify", before: "chores" }]);
    expect(run.transition("chores")).toBe(false);
    expect(of("phase.refused")[0]).toMatchObject({
      why: "required",
      text: 'After "execute" a visit to "verify" is owed before "chores".',
    });
    run.transition("notes");
    expect(run.view.canMove("chores")).toBe(false);
    run.transition("verify");
    expect(run.view.owed).toEqual([]);
    expect(run.transition("chores")).toBe(true);
    run.transition("execute");
    expect(run.view.canMove("chores")).toBe(false);
  });

  it("a required visit is owed once, however often the phase is entered", () => {
    const { run } = loggedRun({ graph: gated });
    run.transition("notes");
    run.transition("execute");
    expect(run.view.owed).toHaveLength(1);
  });

  it.each([
    { outcome: "completed", owed: 1 },
    { outcome: "failed", owed: 0 },
    { outcome: "abandoned", owed: 0 },
  ] as const)("a visit required after completion: left as $outcome, owed: $owed", ({ outcome, owed }) => {
    const after = definePhaseGraph({
      initial: "verify",
      phases: { verify: { next: ["fix"] }, fix: { next: ["chores"] }, chores: { next: [] } },
      required: [{ after: "verify", visit: "chores", before: "end", when: "completed" }],
    });
    const { run } = loggedRun({ graph: after });
    expect(run.view.owed).toEqual([]);
    run.transition("fix", { outcome });
    expect(run.view.owed).toHaveLength(owed);
  });
});

describe("skip", () => {
  it("skip counts a phase as visited, opens what follows it, and warns what is lost", () => {
    const { run, of } = work();
    expect(run.transition("review")).toBe(true);
    run.rollback();
    expect(run.skip("code", { by: "user", name: "Ann", why: "a typo only" })).toBe(true);
    expect(of("phase.skipped")[0]).toMatchObject({
      by: "Ann",
      phase: "code",
      actor: "user",
      why: "a typo only",
      warning: 'Phase "code" is skipped. Not ensured: it compiles; it is formatted.',
    });
    expect(run.view.phase).toBe("plan");
    expect(run.view.canMove("review", "agent")).toBe(true);
    expect(run.transition("review", { by: "agent" })).toBe(true);
  });

  it("skip opens several phases in a row, and closes them with the next entry", () => {
    const line = definePhaseGraph({
      initial: "a",
      phases: {
        a: { next: ["b"] },
        b: { next: ["c"], purpose: "checking" },
        c: { next: ["d", "a"] },
        d: { next: ["a"] },
      },
    });
    const { run, of } = loggedRun({ graph: line });
    run.skip("c", { why: "later" });
    expect(run.view.canMove("d")).toBe(false);
    run.skip("b", { why: "later" });
    expect(run.view.canMove("d")).toBe(true);
    expect(of("phase.skipped").map(({ warning }) => warning)).toEqual([
      'Phase "c" is skipped: nothing it ensures is ensured.',
      'Phase "b" is skipped. Not ensured: checking.',
    ]);
    expect(run.transition("d")).toBe(true);
    run.transition("a");
    expect(run.view.canMove("d")).toBe(false);
    expect(run.view.canMove("c")).toBe(false);
  });

  it("skip pays what is owed to that phase, and only that", () => {
    const { run } = loggedRun({
      graph: definePhaseGraph({
        initial: "a",
        phases: { a: { next: ["b", "c"] }, b: { next: ["c"] }, c: { next: [] } },
        required: [
          { after: "a", visit: "b", before: "c" },
          { after: "a", visit: "c", before: "end" },
        ],
      }),
    });
    expect(run.view.canMove("c")).toBe(false);
    run.skip("b", { why: "x" });
    expect(run.view.canMove("c")).toBe(true);
    expect(run.view.owed).toEqual([{ after: "a", visit: "c", before: "end" }]);
  });

  it.each([
    {
      by: "agent",
      why: "please",
      phase: "code",
      refused: "not-allowed",
      text: 'Only a user or a judge may skip "code".',
    },
    {
      by: "policy",
      why: "please",
      phase: "code",
      refused: "not-allowed",
      text: 'Only a user or a judge may skip "code".',
    },
    { by: "user", why: "  ", phase: "code", refused: "no-reason", text: 'Skipping "code" needs a reason.' },
    { by: "user", why: "x", phase: "deploy", refused: "unknown-phase", text: 'The graph has no phase "deploy".' },
  ])("skip by $by with reason $why of $phase is refused as $refused", ({ by, why, phase, refused, text }) => {
    const { run, of } = work();
    expect(run.skip(phase as "code", { by: by as Actor, why })).toBe(false);
    expect(of("phase.skipped")).toEqual([]);
    expect(of("phase.refused")[0]).toMatchObject({ do: "skip", why: refused, text });
    expect(run.view.canMove("review", "agent")).toBe(false);
  });

  it("a judge may skip a phase", () => {
    const { run } = work();
    expect(run.skip("code", { by: "judge", why: "seen" })).toBe(true);
  });
});

describe("rollback", () => {
  it("rollback opens a new entry of the phase before; the spending remains", () => {
    const { run, of, clock } = work();
    run.record({ type: "turn.started" });
    run.transition("code");
    run.record({ type: "turn.started" });
    run.record({ type: "model.answered", usage: { inputTokens: 50 } });
    clock.advance(100);
    expect(run.rollback(undefined, { name: "Ann", why: "the plan was wrong" })).toBe(true);
    expect(run.view).toMatchObject({
      phase: "plan",
      phaseEntry: "plan#2",
      previousPhase: "code",
      turn: 2,
      turnsInPhase: 0,
    });
    expect(run.view.usage.inputTokens).toBe(50);
    expect(of("phase.rolled-back")[0]).toMatchObject({
      by: "Ann",
      actor: "user",
      from: "code",
      to: "plan",
      reason: "the plan was wrong",
      restores: "plan#1",
      undone: 1,
      entry: "code#1",
      metrics: { turns: 1, inputTokens: 50, activeMs: 100 },
    });
    expect(of("phase.transition")).toHaveLength(1);
  });

  it.each([
    { to: "plan", restores: "plan#2", undone: 1 },
    { to: "plan#1", restores: "plan#1", undone: 3 },
    { to: "code", restores: "code#1", undone: 2 },
  ] as const)("rollback to $to restores $restores and undoes $undone", ({ to, restores, undone }) => {
    const { run, of } = work();
    run.transition("code");
    run.transition("plan");
    run.transition("code");
    expect(run.rollback(to)).toBe(true);
    expect(of("phase.rolled-back")[0]).toMatchObject({ restores, undone });
  });

  it("rollback owes again what was owed when that entry began, and keeps what is owed since", () => {
    const gated = definePhaseGraph({
      initial: "a",
      phases: { a: { next: ["b"] }, b: { next: ["c"] }, c: { next: ["d"] }, d: { next: [] } },
      required: [
        { after: "a", visit: "b", before: "d" },
        { after: "c", visit: "d", before: "end" },
      ],
    });
    const { run } = loggedRun({ graph: gated });
    run.transition("b");
    run.transition("c");
    expect(run.view.owed.map(({ visit }) => visit)).toEqual(["d"]);
    run.rollback("a");
    expect(run.view.owed.map(({ visit }) => visit)).toEqual(["d", "b"]);
  });

  it("rollback owes again what was paid since the restored entry, each debt on its own", () => {
    const gated = definePhaseGraph({
      initial: "a",
      phases: { a: { next: ["b"] }, b: { next: ["c"] }, c: { next: ["d"] }, d: { next: ["e"] }, e: { next: [] } },
      required: [
        { after: "a", visit: "c", before: "d" },
        { after: "a", visit: "c", before: "end" },
        { after: "a", visit: "d", before: "end" },
      ],
    });
    const { run } = loggedRun({ graph: gated });
    const debts = () => run.view.owed.map(({ visit, before }) => `${visit} before ${before}`);
    run.transition("b");
    expect(debts()).toEqual(["c before d", "c before end", "d before end"]);
    run.transition("c");
    run.transition("d");
    expect(debts()).toEqual([]);
    run.rollback("b");
    expect(debts()).toEqual(["c before d", "c before end", "d before end"]);
  });

  it.each([
    { by: "agent", to: undefined, why: "not-allowed", text: "Only a user or a judge may roll a run back." },
    { by: "user", to: undefined, why: "nothing-to-undo", text: "The run is in its first phase." },
    { by: "user", to: "code", why: "nothing-to-undo", text: 'The run has not been in "code" before.' },
    { by: "user", to: "plan", why: "nothing-to-undo", text: 'The run has not been in "plan" before.' },
  ])("rollback by $by to $to at the beginning is refused as $why", ({ by, to, why, text }) => {
    const { run, of } = work();
    expect(run.rollback(to as "code" | undefined, { by: by as Actor })).toBe(false);
    expect(of("phase.refused")[0]).toMatchObject({ do: "rollback", why, text });
    expect(of("phase.rolled-back")).toEqual([]);
  });

  it("rollback is refused while the run is suspended, and so is any move", () => {
    const { run, of } = work();
    run.transition("code");
    run.suspend();
    expect(run.rollback()).toBe(false);
    expect(run.transition("plan")).toBe(false);
    expect(run.view.canMove("plan")).toBe(false);
    expect(of("phase.refused").map(({ why, text }) => [why, text])).toEqual([
      ["status", "The run is suspended."],
      ["status", "The run is suspended."],
    ]);
  });
});

describe("a command without its subject", () => {
  it.each([
    ["a transition", { do: "transition" }, []],
    ["a skip", { do: "skip", why: "x" }, ["unknown-phase"]],
    ["a waiver", { do: "waive", why: "x" }, []],
    ["a waiver without a reason", { do: "waive" }, ["no-reason"]],
    ["a resumption of what runs", { do: "resume" }, []],
  ] as const)("%s changes nothing", (_what, command, refused) => {
    const { run, of } = work();
    expect(run.record({ type: "move.requested", by: "user", ...command })).toBe(true);
    expect(of("phase.refused").map(({ why }) => why)).toEqual(refused);
    expect(run.view).toMatchObject({ phaseEntry: "plan#1", status: "running" });
    expect(run.view.canMove("review", "agent")).toBe(false);
  });

  it("a second suspension keeps the deadline of the first", () => {
    const { run } = work();
    run.suspend({ timeoutMs: 500 });
    run.record({ type: "move.requested", do: "suspend", by: "user", until: 99_999 });
    expect(run.wakeAt).toBe(1500);
  });
});

describe("a graph's edges", () => {
  it("a graph's edges survive a replay: guards, skips and owed visits answer as before", () => {
    const { run, log } = work();
    run.record({ type: "progress.made", what: "x" });
    run.skip("code", { why: "small" });
    const { run: again } = replayRun(stored(log), { graph, policies: [green()] });
    expect(again.view.canMove("ship")).toBe(true);
    expect(again.view.canMove("review", "agent")).toBe(true);
  });
});
