import { describe, expect, it, vi } from "vitest";
import { loggedRun, stored } from "../__fixtures__/logged-run.ts";
import { nudge } from "../policies/decision.ts";
import { isPhasekitError } from "../errors.ts";
import { reasonCodes } from "../events/reason-codes.ts";
import { reasons } from "../events/reasons.ts";
import type { RunEvent } from "../events/run-event.ts";
import { definePhaseGraph, type PhaseGraph } from "../graph/phase-graph.ts";
import { budget } from "../policies/budget.ts";
import { stallReminder } from "../policies/stall-reminder.ts";
import { definePolicy, type Policy } from "../policies/policy.ts";
import { replayRun } from "../log/replay-run.ts";
import { createRun, type RunOptions } from "./run.ts";

const graph = definePhaseGraph({ name: "work", initial: "a", phases: { a: { next: ["b"] }, b: { next: ["a"] } } });

const OPTION_HINT = "See the documentation of the function's options.";

describe("createRun", () => {
  it("createRun without options has one phase, the name table and no policies, and continues", () => {
    const { run, log } = loggedRun();
    expect(log).toEqual([
      {
        type: "run.started",
        seq: 1,
        at: 1000,
        run: "run",
        graph: "working",
        phase: "working",
        mode: "nudge",
        attempt: 1,
        policies: [],
        interpreters: [{ name: "name-table", version: expect.any(String) as string }],
      },
    ]);
    expect(run.view).toMatchObject({
      id: "run",
      phase: "working",
      phaseEntry: "working#1",
      status: "running",
      turn: 0,
      startedAt: 1000,
    });
    expect(run.beforeTurn()).toMatchObject({ turn: 1, stop: undefined, message: undefined });
    expect(run.beforeTool({ tool: "anything" }).allow).toBe(true);
    expect(run.beforeFinish().accept).toBe(true);
  });

  it("createRun without a clock or ids makes its own", () => {
    const [one, two] = [createRun(), createRun()];
    expect(one.id).toMatch(/^run-[0-9a-z]+-[0-9a-z]{7}$/);
    expect(one.id).not.toBe(two.id);
    expect(one.view.startedAt).toBeGreaterThan(1_600_000_000_000);
    expect(createRun({ createId: () => "mine" }).id).toBe("mine");
  });

  it("createRun records what the run is made of", () => {
    const { log } = loggedRun({
      graph,
      mode: "gate",
      task: { id: "t", kind: "bug", text: "fix it" },
      item: { id: "i", phase: "b", version: 3 },
      parent: { run: "p", call: "c" },
      policies: [[stallReminder(), definePolicy({ name: "mine", version: "2" })], budget({ turns: 9, tokens: 1000 })],
      interpret: [],
    });
    expect(log[0]).toMatchObject({
      graph: "work",
      phase: "a",
      mode: "gate",
      task: { id: "t", kind: "bug", text: "fix it" },
      item: { id: "i", phase: "b", version: 3 },
      parent: { run: "p", call: "c" },
      policies: [{ name: "stall-reminder" }, { name: "mine", version: "2" }, { name: "budget" }],
      interpreters: [],
      limits: { turns: 9, tokens: 1000 },
    });
  });

  it("createRun adds the policies the graph asks for, each once, and prefers the user's own", () => {
    const full = definePhaseGraph({
      initial: "a",
      phases: {
        a: { next: ["b"], notes: ["n"], activities: { deny: ["edit"] }, timeoutMs: 5, maxTurns: 3 },
        b: { next: [], guidance: "g", tools: { deny: ["x"] } },
      },
      required: [{ after: "a", visit: "b", before: "end" }],
    });
    const names = (policies: readonly Policy[] = []): readonly string[] =>
      loggedRun({ graph: full, policies })
        .of("run.started")[0]
        ?.policies.map(({ name }) => name) ?? [];
    expect(names()).toEqual(["phase-guidance", "phase-rules", "phase-timeout", "stall-reminder", "required-phases"]);
    expect(names([stallReminder()])).toEqual([
      "phase-guidance",
      "phase-rules",
      "phase-timeout",
      "required-phases",
      "stall-reminder",
    ]);
    expect(loggedRun({ graph }).of("run.started")[0]?.policies).toEqual([]);
  });

  it.each<[string, unknown, string]>([
    [
      "a mode nobody knows",
      { mode: "strict" },
      `INVALID_OPTION: The option "mode" is wrong: "strict" is not one of observe, nudge, gate.`,
    ],
    ["an empty id", { id: "" }, `INVALID_OPTION: The option "id" is wrong: it must be a text that is not empty.`],
    [
      "an id that is no text",
      { createId: () => 5 },
      `INVALID_OPTION: The option "id" is wrong: it must be a text that is not empty.`,
    ],
    [
      "two policies of one name",
      { policies: [stallReminder(), stallReminder()] },
      `DUPLICATE_POLICY: Two policies are named "stall-reminder". ` +
        'Give one of them another name: named(policy, "stall-reminder-2").',
    ],
    [
      "a policy without a name",
      { policies: [{ name: "" }] },
      `INVALID_OPTION: The option "policies" is wrong: a policy needs a name.`,
    ],
    [
      "undefined for a policy",
      { policies: [undefined] },
      `INVALID_OPTION: The option "policies" is wrong: one of them is undefined, not a policy.`,
    ],
    [
      "a policy whose brackets were forgotten",
      { policies: [stallReminder] },
      `INVALID_OPTION: The option "policies" is wrong: "stallReminder" is a function: call it.`,
    ],
    [
      "one policy instead of a list",
      { policies: stallReminder() },
      `INVALID_OPTION: The option "policies" is wrong: it must be a list of policies.`,
    ],
    [
      "a phase that does not say what follows",
      { graph: { initial: "a", phases: { a: {} } } },
      `INVALID_OPTION: The option "graph.phases.a.next" is wrong: ` +
        "it must be a list of the phases that may follow; an empty one ends the run.",
    ],
    ...[
      {},
      5,
      [],
      { initial: "a" },
      { phases: { a: { next: [] } } },
      { initial: 5, phases: { a: { next: [] } } },
      { initial: "a", phases: [] },
      { initial: "a", phases: null },
      Buffer.from("a"),
    ].map((graph): [string, unknown, string] => [
      `the graph ${JSON.stringify(graph)}`,
      { graph },
      'INVALID_OPTION: The option "graph" is wrong: ' +
        "it must be an object with the name of the `initial` phase and with `phases`.",
    ]),
    ...[[null], [5], [{}], [{ to: 5 }], [["a"]], ["a", undefined]].map((next): [string, unknown, string] => [
      `the edges ${JSON.stringify(next)}`,
      { graph: { initial: "a", phases: { a: { next } } } },
      'INVALID_OPTION: The option "graph.phases.a.next" is wrong: ' +
        "each entry must be the name of a phase, or an object with `to`.",
    ]),
    ...[5, [null], [{ after: "a", visit: "a" }]].map((required): [string, unknown, string] => [
      `the required visits ${JSON.stringify(required)}`,
      { graph: { initial: "a", phases: { a: { next: [] } }, required } },
      'INVALID_OPTION: The option "graph.required" is wrong: ' +
        "it must be a list of objects with `after`, `visit` and `before`.",
    ]),
    ...[null, 5, "x", [], new Uint8Array(5)].map((options): [string, unknown, string] => [
      `${JSON.stringify(options)} for options`,
      options,
      'INVALID_OPTION: The option "options" is wrong: it must be an object with members that have names.',
    ]),
    [
      "false in a bundle",
      { policies: [[false]] },
      `INVALID_OPTION: The option "policies" is wrong: one of them is false, not a policy.`,
    ],
    [
      "an initial phase the graph lacks",
      { graph: { initial: "x", phases: { a: { next: [] } } } },
      `UNKNOWN_PHASE: The graph has no phase "x". Use one of: a.`,
    ],
    [
      "an edge to a phase the graph lacks",
      { graph: { initial: "a", phases: { a: { next: ["b"] } } } },
      `UNKNOWN_PHASE: The graph has no phase "b". Use one of: a.`,
    ],
    [
      "an edge to a member of every object",
      { graph: { initial: "a", phases: { a: { next: ["toString"] } } } },
      `UNKNOWN_PHASE: The graph has no phase "toString". Use one of: a.`,
    ],
    [
      "a required visit of a phase the graph lacks",
      { graph: { initial: "a", phases: { a: { next: [] } }, required: [{ after: "a", visit: "z", before: "end" }] } },
      `UNKNOWN_PHASE: The graph has no phase "z". Use one of: a.`,
    ],
    [
      "a required visit before a phase the graph lacks",
      { graph: { initial: "a", phases: { a: { next: [] } }, required: [{ after: "a", visit: "a", before: "z" }] } },
      `UNKNOWN_PHASE: The graph has no phase "z". Use one of: a.`,
    ],
    [
      "a guard nobody provides",
      { graph: { initial: "a", phases: { a: { next: [{ to: "a", guard: "green" }] } } } },
      `UNKNOWN_GUARD: An edge of the graph names the guard "green", which no policy provides. ` +
        'Add a policy with guards: { "green": (run) => … }.',
    ],
    [
      "a guard other than those provided",
      {
        graph: { initial: "a", phases: { a: { next: [{ to: "a", guard: "green" }] } } },
        policies: [{ name: "p", guards: { red: () => true } }],
      },
      `UNKNOWN_GUARD: An edge of the graph names the guard "green", which no policy provides. Use one of: red.`,
    ],
    [
      "a policy for a phase the graph lacks",
      { policies: [{ name: "p", mentions: ["acting"] }] },
      `UNKNOWN_PHASE: Policy "p" mentions a phase the graph lacks: it has no phase "acting". Use one of: working.`,
    ],
    [
      "a task that is a number",
      { task: 5 },
      `INVALID_OPTION: The option "task" is wrong: expected an object, found number.`,
    ],
    ["an item without an id", { item: {} }, `INVALID_OPTION: The option "item.id" is wrong: is missing.`],
  ])("createRun with %s throws, early and in plain words", (_what, options, expected) => {
    let found: unknown = "nothing was thrown";
    try {
      createRun(options as RunOptions);
    } catch (error) {
      found = isPhasekitError(error) ? `${error.code}: ${error.message} ${error.hint ?? ""}` : error;
    }
    expect(found).toBe(expected.startsWith("INVALID_OPTION") ? `${expected} ${OPTION_HINT}` : expected);
  });
});

describe("counting turns", () => {
  it("a tool event without a turn opens one", () => {
    const { run, log } = loggedRun();
    run.record({ type: "tool.requested", tool: "Read", call: "c" });
    run.record({ type: "tool.finished", call: "c", outcome: "ok" });
    run.record({ type: "tool.finished", tool: "Read", outcome: "ok" });
    expect(log.slice(1).map(({ turn }) => turn)).toEqual([1, 1, 2]);
    expect(run.view).toMatchObject({ turn: 2, iterations: 2, toolCalls: 2 });
  });

  it("a model answer opens a turn unless the host starts turns", () => {
    const { run, log } = loggedRun();
    run.record({ type: "model.answered" });
    run.record({ type: "tool.finished", tool: "Read", outcome: "ok" });
    run.record({ type: "tool.finished", tool: "Read", outcome: "ok" });
    run.record({ type: "model.answered" });
    run.record({ type: "turn.started" });
    run.record({ type: "model.answered" });
    expect(log.slice(1).map(({ turn }) => turn)).toEqual([1, 1, 1, 2, 3, 3]);
    expect(run.view).toMatchObject({ turn: 3, iterations: 1, toolCalls: 2 });
  });

  it("a turn with several calls is one iteration, a turn without calls none", () => {
    const { run } = loggedRun();
    for (const calls of [2, 0, 1]) {
      run.record({ type: "turn.started" });
      for (let n = 0; n < calls; n += 1) run.record({ type: "tool.finished", tool: "Read", outcome: "ok" });
    }
    expect(run.view).toMatchObject({ turn: 3, turnsInPhase: 3, iterations: 2, toolCalls: 3 });
    expect(run.view.entry).toMatchObject({ turns: 3, iterations: 2, toolCalls: 3, toolErrors: 0 });
  });

  it("errors are tool errors; a call the host denies never ran", () => {
    const { run } = loggedRun();
    for (const outcome of ["ok", "error", "denied"] as const)
      run.record({ type: "tool.finished", tool: "Read", outcome });
    expect(run.view.entry.toolErrors).toBe(1);
  });
});

describe("subscribers", () => {
  it("a subscriber gets every step whole: one host event and everything it caused", () => {
    const { run } = loggedRun({
      policies: [definePolicy({ name: "p", decide: { "turn.started": () => nudge("x") } })],
    });
    const steps: (readonly string[])[] = [];
    run.subscribe((step) => steps.push(step.map(({ type }) => type)));
    run.record({ type: "turn.started" });
    run.record({ type: "plan.declared" });
    expect(steps).toEqual([["run.started"], ["turn.started", "nudge.sent"], ["plan.declared"]]);
  });

  it.each([
    { events: 256, gets: 256 },
    { events: 257, gets: 0 },
  ])("a subscriber that joins after $events events gets $gets of them", ({ events, gets }) => {
    const { run } = loggedRun();
    for (let n = 1; n < events; n += 1) run.record({ type: "plan.declared" });
    let got = 0;
    run.subscribe((step) => {
      got += step.length;
    });
    expect(got).toBe(gets);
    run.record({ type: "plan.declared" });
    expect(got).toBe(gets + 1);
  });

  it("subscribers get steps in order, also when one of them records an event", () => {
    const { run } = loggedRun();
    const seen: string[] = [];
    run.subscribe(([event]) => {
      seen.push(`first ${String(event?.type)}`);
      if (event?.type === "turn.started") run.record({ type: "plan.declared" });
    });
    run.subscribe(([event]) => {
      seen.push(`second ${String(event?.type)}`);
    });
    seen.length = 0;
    run.record({ type: "turn.started" });
    expect(seen).toEqual(["first turn.started", "second turn.started", "first plan.declared", "second plan.declared"]);
  });

  it("a subscriber that joins during a delivery gets each step once", () => {
    const { run } = loggedRun();
    const seen: number[] = [];
    let subscribed = false;
    run.subscribe(([event]) => {
      if (event?.type !== "turn.started" || subscribed) return;
      subscribed = true;
      run.record({ type: "plan.declared" });
      run.subscribe((step) => seen.push(...step.map(({ seq }) => seq)));
    });
    run.record({ type: "turn.started" });
    expect(seen).toEqual([1, 2, 3]);
  });

  it("a subscriber that throws harms no other; onError gets the error, and may throw too", () => {
    const told: unknown[] = [];
    const { run, log } = loggedRun({
      onError: (error) => {
        told.push(error);
        throw new Error("even worse");
      },
    });
    run.subscribe(() => {
      throw new Error("disk full");
    });
    const after: string[] = [];
    run.subscribe(([event]) => {
      after.push(event?.type ?? "");
    });
    expect(run.record({ type: "turn.started" })).toBe(true);
    expect(told.map(String)).toEqual(["Error: disk full", "Error: disk full"]);
    expect(after).toEqual(["run.started", "turn.started"]);
    expect(log).toHaveLength(2);
    const silent = loggedRun();
    silent.run.subscribe(() => {
      throw new Error("nobody cares");
    });
    expect(silent.run.record({ type: "turn.started" })).toBe(true);
  });

  it("a subscriber gets nothing more once it unsubscribes", () => {
    const { run } = loggedRun();
    const heard = vi.fn();
    const end = run.subscribe(heard);
    end();
    run.record({ type: "turn.started" });
    expect(heard).toHaveBeenCalledTimes(1);
  });

  it("a subscriber gets what it recorded into another run's step as well", () => {
    const parent = loggedRun();
    const child = parent.run.child({ id: "child" });
    child.end();
    expect(parent.log.map(({ type }) => type)).toEqual(["run.started", "child.started", "child.finished"]);
  });
});

describe("suspending and resuming", () => {
  it("a suspended run resumes where it was; the time between is not charged", () => {
    const { run, clock, of } = loggedRun({ graph });
    run.transition("b");
    clock.advance(100);
    expect(run.suspend({ name: "Ann", why: "lunch" })).toBe(true);
    expect(run.view).toMatchObject({ status: "suspended", phase: "b", activeMs: 100 });
    expect(run.suspend()).toBe(false);
    clock.advance(900);
    expect(run.resume({ name: "Ann" })).toBe(true);
    expect(run.view).toMatchObject({ status: "running", phase: "b", phaseEntry: "b#1", activeMs: 100, attempt: 1 });
    expect(of("move.requested").map(({ do: what, name }) => [what, name])).toEqual([
      ["transition", undefined],
      ["suspend", "Ann"],
      ["resume", "Ann"],
    ]);
    expect(of("run.resumed")).toEqual([]);
  });

  it("late events are still recorded while a run is suspended", () => {
    const { run } = loggedRun();
    run.beforeTool({ call: "c", tool: "Read" });
    run.suspend();
    expect(run.record({ type: "tool.finished", call: "c", outcome: "ok" })).toBe(true);
    expect(run.view.pending.size).toBe(0);
  });

  it.each([
    { timeoutMs: 500, at: 1499, ended: false },
    { timeoutMs: 500, at: 1500, ended: true },
  ])(
    "a suspension with $timeoutMs ms and a tick at $at ends the run as interrupted: $ended",
    ({ timeoutMs, at, ended }) => {
      const { run } = loggedRun();
      run.suspend({ timeoutMs });
      expect(run.wakeAt).toBe(1500);
      expect(run.tick(at)).toBe(ended);
      expect(run.outcome?.reason).toBe(ended ? "interrupted" : undefined);
      if (ended) expect(run.resume()).toBe(true);
    },
  );

  it("a suspension without a timeout waits indefinitely, and a resumed run has no old deadline", () => {
    const { run } = loggedRun();
    run.suspend();
    expect(run.wakeAt).toBeUndefined();
    expect(run.tick(1e9)).toBe(false);
    run.resume();
    run.suspend({ timeoutMs: 10 });
    run.resume();
    expect(run.wakeAt).toBeUndefined();
  });

  it("resume does nothing for a run that is active or has ended", () => {
    const { run, log } = loggedRun();
    expect(run.resume()).toBe(false);
    run.end();
    const { length } = log;
    expect(run.resume()).toBe(false);
    expect(run.record({ type: "run.resumed", attempt: 2 })).toBe(false);
    expect(run.suspend()).toBe(false);
    expect(log).toHaveLength(length);
  });

  it.each(reasonCodes.map((reason) => ({ reason, resumable: reasons[reason].resumable })))(
    "a run that ended as $reason is resumed as it is: $resumable; with reopen it always is",
    ({ reason, resumable }) => {
      const { run, log, of } = loggedRun();
      run.end({ reason });
      expect(run.resume()).toBe(resumable);
      if (!resumable) expect(run.resume({ reopen: true, why: "The user continued." })).toBe(true);
      expect(run.view).toMatchObject({ status: "running", attempt: 2, outcome: undefined });
      expect(of("run.resumed")).toMatchObject([resumable ? { attempt: 2 } : { attempt: 2, reopened: true }]);
      expect(replayRun(stored(log)).run.view.attempt).toBe(2);
    },
  );

  it("limits that are new at a resume take the place of the old ones, and equal ones are not recorded", () => {
    const policies = (turns: number) => [budget({ turns, soft: 1, how: "halt" })];
    const { run, log } = loggedRun({ policies: policies(1) });
    for (let turn = 0; turn < 2; turn += 1) run.record({ type: "turn.started" });
    run.end();
    expect(run.outcome?.reason).toBe("turn_limit");
    const resumedWith = (turns: number): readonly unknown[] => {
      const { run: again } = replayRun(stored(log), { policies: policies(turns) });
      const more: RunEvent[] = [];
      again.subscribe((step) => more.push(...step));
      again.resume();
      again.record({ type: "turn.started" });
      return [again.view.limits, again.view.stopped?.reason, more[0]?.type === "run.resumed" && more[0].limits];
    };
    expect(resumedWith(1)).toEqual([{ turns: 1 }, "turn_limit", undefined]);
    expect(resumedWith(5)).toEqual([{ turns: 5 }, undefined, { turns: 5 }]);
  });

  it("an interrupted run opens its next attempt: stops and pending calls are over, spending is not", () => {
    const { run, of } = loggedRun({ policies: [budget({ tokens: 100, soft: 1 })] });
    run.record({ type: "model.answered", usage: { inputTokens: 100 } });
    run.beforeTool({ call: "c", tool: "Read" });
    expect(run.view.stopped).toBeDefined();
    run.end({ reason: "interrupted" });
    expect(run.resume({ why: "again" })).toBe(true);
    expect(run.view).toMatchObject({ attempt: 2, stopped: undefined, outcome: undefined, status: "running" });
    expect(run.view.pending.size).toBe(0);
    expect(run.beforeTurn()).toMatchObject({ wrapUp: true });
    expect(of("stop.requested")).toHaveLength(2);
  });
});

describe("options that a run read back from a log shares", () => {
  it("a graph without a name leaves none in the log", () => {
    const nameless: PhaseGraph = { initial: "a", phases: { a: { next: [] } } };
    const { log } = loggedRun({ graph: nameless });
    expect(log[0]).not.toHaveProperty("graph");
    expect(replayRun(stored(log), { graph: nameless }).run.view.phase).toBe("a");
  });

  it("a run records nothing after the end but a resumption", () => {
    const { run, log } = loggedRun();
    run.end({ reason: "interrupted" });
    const types: readonly RunEvent["type"][] = log.map(({ type }) => type);
    expect(run.record({ type: "turn.started" })).toBe(false);
    expect(run.transition("working")).toBe(false);
    expect(run.record({ type: "message.sent", text: "late" })).toBe(false);
    expect(log.map(({ type }) => type)).toEqual(types);
    expect(run.record({ type: "run.resumed", attempt: 2 })).toBe(true);
  });
});

describe("rejected events", () => {
  it.each([
    ["null", null, "object"],
    ["a number", 7, "number"],
    ["nothing", undefined, "undefined"],
    ["a text", "tool.finished", "string"],
    [
      "an object that throws when it is looked at",
      new Proxy(
        {},
        {
          get: () => {
            throw new Error("no");
          },
        },
      ),
      "object",
    ],
  ])("%s is rejected by its kind", (_name, input, kind) => {
    const { run, of } = loggedRun();
    expect(run.record(input as never)).toBe(false);
    expect(of("event.rejected")).toMatchObject([{ rejected: kind }]);
  });

  it("a rejected event says when it cannot be read", () => {
    const { run, of } = loggedRun();
    run.record({
      type: "progress.made",
      get what() {
        throw new Error("no");
      },
    } as never);
    expect(of("event.rejected")[0]?.issues).toEqual([{ path: "", message: "it cannot be read" }]);
    expect(run.record({ type: "progress.made", what: "after it" })).toBe(true);
  });

  it("an event that an interpreter records waits for the current step", () => {
    const order: string[] = [];
    const { run, log } = loggedRun({
      interpret: {
        name: "telling",
        version: "1",
        interpret: () => {
          order.push(String(run.record({ type: "progress.made", what: "seen" })));
          return { activity: "read" };
        },
      },
    });
    run.beforeTool({ tool: "x", call: "c" });
    expect(order).toEqual(["true"]);
    expect(log.map(({ type }) => type)).toEqual(["run.started", "tool.requested", "progress.made"]);
  });
});

describe("children of a run", () => {
  it("a child that ended is not stopped again; a live child is stopped once", () => {
    const { run } = loggedRun();
    const [done, living] = [run.child({ id: "done" }), run.child({ id: "living" })];
    const steps: string[] = [];
    done.subscribe((step) => steps.push(...step.map(({ type }) => `done ${type}`)));
    living.subscribe((step) => steps.push(...step.map(({ type }) => `living ${type}`)));
    done.end();
    run.end();
    run.record({ type: "run.finished", reason: "done", verified: false, phase: "working", outcome: "completed" });
    expect(steps.filter((step) => step.includes("stop.requested"))).toEqual(["living stop.requested"]);
    expect(living.view.stopped).toMatchObject({ reason: "parent_ended" });
  });

  it("a child inherits what is left of cost, tokens and time", () => {
    const { run } = loggedRun({ policies: [budget({ cost: 10, tokens: 1000 })] });
    run.record({ type: "turn.started" });
    run.record({ type: "model.answered", usage: { inputTokens: 400, outputTokens: 100, cost: 4 } });
    const events: RunEvent[] = [];
    run.child({ id: "kid" }).subscribe((step) => events.push(...step));
    expect(events[0]).toMatchObject({ type: "run.started", limits: { cost: 6, tokens: 500 }, parent: { run: "run" } });
    expect(events[0]).not.toHaveProperty("parent.call");
  });
});

describe("suspending", () => {
  it("a suspension counts its time from the later of the clock and the log", () => {
    const ahead = loggedRun();
    ahead.run.record({ type: "progress.made", what: "from the future", at: 500_000 });
    ahead.run.suspend({ timeoutMs: 100 });
    expect(ahead.run.wakeAt).toBe(500_100);
  });

  it("a suspension after the end is refused and changes nothing", () => {
    const { run } = loggedRun();
    run.end();
    expect([run.suspend(), run.end(), run.tick(10_000_000), run.resume()]).toEqual([false, false, false, false]);
  });
});
