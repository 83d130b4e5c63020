import { describe, expect, it } from "vitest";
import { loggedRun, stored } from "../__fixtures__/logged-run.ts";
import { assembleRun } from "../run/assemble-run.ts";
import { alert, nudge, refuse, stop, veto } from "../policies/decision.ts";
import type { NewEvent } from "../events/run-event.ts";
import { definePhaseGraph } from "../graph/phase-graph.ts";
import { definePolicy, type Policy } from "../policies/policy.ts";
import { replayRun } from "../log/replay-run.ts";
import { defineState } from "../view/run-view.ts";
import { VIEW_LIMITS } from "../view/view-state.ts";

const progress: NewEvent = { type: "progress.made", what: "x" };

describe("one step", () => {
  it("a step folds the view, then every observer, then asks every policy, whatever their order", () => {
    const key = defineState<{ seen: number }>("test/seen");
    const seen: unknown[] = [];
    const reader = definePolicy({
      name: "reader",
      decide: {
        "progress.made": (run) => {
          seen.push(run.seq, run.read(key)?.seen, run.lastProgress?.what);
          return undefined;
        },
      },
    });
    const owner = definePolicy({
      name: "owner",
      key,
      initial: () => ({ seen: 0 }),
      observe: {
        "progress.made": (state) => {
          state.seen += 1;
        },
      },
    });
    loggedRun({ policies: [reader, owner] }).run.record(progress);
    loggedRun({ policies: [owner, reader] }).run.record(progress);
    expect(seen).toEqual([2, 1, "x", 2, 1, "x"]);
  });

  it("a step shows a derived event to the view and all observers immediately, and never asks about it", () => {
    const order: string[] = [];
    const first = definePolicy({
      name: "first",
      decide: {
        "progress.made": () => {
          order.push("first decides");
          return stop();
        },
      },
      observe: {
        "stop.requested": () => {
          order.push("first observes");
        },
      },
    });
    const second = definePolicy({
      name: "second",
      observe: {
        "stop.requested": (_state, event, run) => {
          order.push(`second observes ${String(event.cause)} ${String(run.stopped?.reason)}`);
        },
      },
      decide: {
        "progress.made": () => {
          order.push("second decides");
          return undefined;
        },
        ...({
          "stop.requested": () => {
            order.push("decided on a derived event");
            return undefined;
          },
        } as object),
      },
    });
    const { run, log } = loggedRun({ policies: [first, second] });
    run.record(progress);
    expect(order).toEqual(["first decides", "first observes", "second observes 2 policy_stop", "second decides"]);
    expect(log.at(-1)).toMatchObject({ type: "stop.requested", seq: 3, at: 1000, cause: 2, by: "first" });
  });

  it("a step gives derived events the agent, turn and call of their cause", () => {
    const { run, of } = loggedRun({
      policies: [definePolicy({ name: "p", decide: { "tool.requested": () => refuse("no") } })],
    });
    run.record({ type: "turn.started", agent: "dev" });
    run.record({ type: "tool.requested", tool: "Read", call: "c9", agent: "dev", at: 1700 });
    expect(of("tool.refused")[0]).toMatchObject({ agent: "dev", turn: 1, call: "c9", at: 1700, cause: 3 });
  });

  it("a state key that no policy has reads as undefined", () => {
    expect(loggedRun().run.view.read(defineState("nobody"))).toBeUndefined();
  });

  it("a step asks handlers only: a member that is undefined is none", () => {
    const { run, typesFrom } = loggedRun({
      policies: [
        definePolicy({ name: "p", observe: { "progress.made": undefined }, decide: { "progress.made": undefined } }),
      ],
    });
    run.record(progress);
    expect(typesFrom(2)).toEqual(["progress.made"]);
  });
});

describe("a policy that fails", () => {
  it("a policy that fails in decide is recorded and has three chances", () => {
    let asked = 0;
    const { run, of } = loggedRun({
      policies: [
        definePolicy({
          name: "bad",
          decide: {
            "progress.made": () => {
              asked += 1;
              throw new TypeError("oops");
            },
          },
        }),
      ],
    });
    for (let n = 0; n < 6; n += 1) expect(run.record(progress)).toBe(true);
    expect(asked).toBe(3);
    expect(of("policy.failed")).toHaveLength(3);
    expect(of("policy.failed")[0]).toMatchObject({
      by: "bad",
      policy: "bad",
      during: "decide",
      message: "TypeError: oops",
    });
  });

  it("a policy that fails in observe is disabled immediately, decisions included; the others continue", () => {
    const seen: string[] = [];
    const bad = definePolicy({
      name: "bad",
      initial: () => ({ n: 0 }),
      observe: {
        "progress.made": () => {
          throw new Error("oops");
        },
        "turn.started": () => {
          seen.push("bad");
        },
      },
      decide: { "progress.made": () => stop(), "turn.started": () => nudge("bad") },
      wakeAt: () => 5000,
    });
    const good = definePolicy({
      name: "good",
      observe: {
        "progress.made": () => {
          seen.push("good");
        },
      },
      decide: { "progress.made": () => alert({ kind: "k" }) },
    });
    const { run, of } = loggedRun({ policies: [bad, good] });
    expect(run.wakeAt).toBe(5000);
    run.record(progress);
    run.record(progress);
    run.record({ type: "turn.started" });
    expect(seen).toEqual(["good", "good"]);
    expect(of("policy.failed")).toMatchObject([{ policy: "bad", during: "observe" }]);
    expect(of("stop.requested")).toEqual([]);
    expect(of("nudge.sent")).toEqual([]);
    expect(of("alert.raised")).toHaveLength(1);
    expect(run.wakeAt).toBeUndefined();
  });

  it("a policy that fails on its own failure does not fail endlessly", () => {
    const bad: Policy = definePolicy({
      name: "bad",
      observe: {
        "policy.failed": () => {
          throw new Error("again");
        },
      },
      decide: {
        "progress.made": () => {
          throw new Error("once");
        },
      },
    });
    const other = definePolicy({
      name: "other",
      observe: {
        "policy.failed": () => {
          throw new Error("me too");
        },
      },
    });
    const { run, of } = loggedRun({ policies: [bad, other] });
    run.record(progress);
    expect(of("policy.failed").map(({ policy, during }) => [policy, during])).toEqual([
      ["bad", "decide"],
      ["other", "observe"],
      ["bad", "observe"],
    ]);
    run.record(progress);
    expect(of("policy.failed")).toHaveLength(3);
  });

  it.each<[string, () => unknown, string]>([
    ["a text", () => "just text", "just text"],
    ["undefined", () => undefined, "undefined"],
    ["an object without a prototype", () => Object.create(null) as unknown, "an error that cannot be read"],
    [
      "an error whose message throws",
      () =>
        Object.defineProperty(new Error("x"), "message", {
          get: () => {
            throw new Error("no");
          },
        }),
      "an error that cannot be read",
    ],
    ["a very long message", () => new Error("x".repeat(9999)), `Error: ${"x".repeat(493)}`],
  ])("a policy that throws %s never reaches the host", (_what, thrown, message) => {
    const { run, of } = loggedRun({
      policies: [
        definePolicy({
          name: "bad",
          decide: {
            "progress.made": () => {
              throw thrown();
            },
          },
        }),
      ],
    });
    expect(run.record(progress)).toBe(true);
    expect(of("policy.failed")[0]?.message).toBe(message);
  });

  it("a policy that fails in wakeAt has no deadline, and the others keep theirs", () => {
    const { run } = loggedRun({
      policies: [
        definePolicy({
          name: "bad",
          wakeAt: () => {
            throw new Error("x");
          },
        }),
        definePolicy({ name: "good", wakeAt: () => 7000 }),
      ],
    });
    expect(run.wakeAt).toBe(7000);
  });

  it("a disabled policy stays disabled when the log is replayed", () => {
    const make = (): Policy =>
      definePolicy({
        name: "bad",
        observe: {
          "progress.made": () => {
            throw new Error("x");
          },
        },
        decide: { "turn.started": () => nudge("hello") },
      });
    const { run, log } = loggedRun({ policies: [make()] });
    run.record(progress);
    const { run: again, missing } = replayRun(stored(log), { policies: [make()] });
    expect(missing).toEqual([]);
    expect(again.beforeTurn().nudges).toEqual([]);
  });
});

describe("a new cycle", () => {
  const graph = definePhaseGraph({
    initial: "a",
    phases: { a: { next: ["b"] }, b: { next: ["c", { to: "a", fresh: true }] }, c: { next: ["a", "b"], fresh: true } },
  });
  const key = defineState<{ n: number }>("test/cycle");
  const counting = (resets: boolean): Policy<{ n: number }> =>
    definePolicy({
      name: "counting",
      key,
      ...(resets && { resetOn: "fresh-phase" }),
      initial: () => ({ n: 0 }),
      observe: {
        "progress.made": (state) => {
          state.n += 1;
        },
      },
    });

  it.each([
    { resets: true, after: 0 },
    { resets: false, after: 1 },
  ])(
    "a new cycle begins in a fresh phase: state that resets there ($resets) then counts $after",
    ({ resets, after }) => {
      const { run } = loggedRun({ graph, policies: [counting(resets)] });
      run.record(progress);
      run.transition("b");
      expect(run.view.read(key)?.n).toBe(1);
      run.transition("c");
      expect(run.view.read(key)?.n).toBe(after);
    },
  );

  it("a new cycle does not begin on the edge beside a fresh one", () => {
    const beside = definePhaseGraph({
      initial: "a",
      phases: { a: { next: [{ to: "b", fresh: true }, "c"] }, b: { next: [] }, c: { next: [] } },
    });
    const { run } = loggedRun({ graph: beside, policies: [counting(true)] });
    run.record(progress);
    run.transition("c");
    expect(run.view.read(key)?.n).toBe(1);
  });

  it("a policy that cannot begin a new cycle is recorded and disabled", () => {
    let begun = 0;
    const failing = definePolicy({
      name: "failing",
      resetOn: "fresh-phase",
      initial: () => {
        begun += 1;
        if (begun > 1) throw new Error("not again");
        return { n: 0 };
      },
    });
    const { run, of } = loggedRun({
      graph,
      policies: [failing, definePolicy({ name: "stateless", resetOn: "fresh-phase" })],
    });
    run.transition("b");
    run.transition("a");
    expect(of("policy.failed")).toMatchObject([{ policy: "failing", during: "observe", message: "Error: not again" }]);
  });

  it("a new cycle begins on a fresh edge", () => {
    const { run } = loggedRun({ graph, policies: [counting(true)] });
    run.transition("b");
    run.record(progress);
    run.transition("a");
    expect(run.view.read(key)?.n).toBe(0);
  });

  it("a new cycle does not begin on another edge to the same phase", () => {
    const { run } = loggedRun({ graph, policies: [counting(true)] });
    run.transition("b");
    run.transition("c");
    run.record(progress);
    run.transition("a");
    expect(run.view.read(key)?.n).toBe(1);
  });
});

describe("deadlines", () => {
  it("the deadline is the earliest that has not been ticked; a tick before it is none", () => {
    const at = (name: string, time: number): Policy =>
      definePolicy({
        name,
        wakeAt: () => time,
        decide: { "clock.ticked": (run) => (run.now >= time ? alert({ kind: name }) : undefined) },
      });
    const { run, of } = loggedRun({
      policies: [at("late", 9000), at("soon", 5000), definePolicy({ name: "none", wakeAt: () => undefined })],
    });
    expect(run.wakeAt).toBe(5000);
    expect(run.tick(4999)).toBe(false);
    expect(of("clock.ticked")).toEqual([]);
    expect(run.tick(5000)).toBe(true);
    expect(of("alert.raised").map(({ kind }) => kind)).toEqual(["soon"]);
    expect(run.wakeAt).toBe(9000);
    expect(run.tick(5000)).toBe(false);
    expect(run.tick(20_000)).toBe(true);
    expect(run.wakeAt).toBeUndefined();
    expect(run.tick(30_000)).toBe(false);
  });

  it("deadlines use the run's clock when no time is given, and end with the run", () => {
    const { run, clock, of } = loggedRun({ policies: [definePolicy({ name: "p", wakeAt: () => 1500 })] });
    expect(run.tick()).toBe(false);
    clock.advance(500);
    expect(run.tick()).toBe(true);
    expect(of("clock.ticked")[0]?.at).toBe(1500);
    const ended = loggedRun({ policies: [definePolicy({ name: "p", wakeAt: () => 1500 })] });
    ended.run.end();
    expect(ended.run.wakeAt).toBeUndefined();
    expect(ended.run.tick(9999)).toBe(false);
  });
});

describe("a long run", () => {
  it("a long run keeps every collection of the view bounded", () => {
    const graph = definePhaseGraph({ initial: "a", phases: { a: { next: ["b"] }, b: { next: ["a"] } } });
    const busy: Policy = definePolicy({
      name: "busy",
      decide: {
        "turn.started": (run) => nudge("x", { episode: `t${String(run.turn)}` }),
        "tool.requested": (run) => (run.turn % 3 === 0 ? refuse("no") : undefined),
        "tool.finished": (run) => alert({ kind: "k", signature: String(run.toolCalls) }),
        "finish.requested": (run) => veto("no", { gate: `g${String(run.turn)}` }),
      },
    });
    const { run, stepper } = assembleRun({
      graph,
      mode: "gate",
      policies: [busy],
      nudges: { cooldownTurns: 2, perEntry: 3 },
    });
    for (let n = 0; n < 10_000; n += 1) {
      run.record({ type: "turn.started" });
      run.record({ type: "tool.requested", tool: "Read", call: `open-${String(n)}` });
      run.record({ type: "tool.finished", tool: "Read", call: `c-${String(n)}`, outcome: "ok" });
      if (n % 5 === 0) run.transition(n % 10 === 0 ? "b" : "a");
      if (n % 7 === 0) run.record({ type: "finish.requested" });
      if (n % 11 === 0) run.waive(`w${String(n)}`, { why: "x" });
      if (n % 13 === 0) run.record({ type: "child.started", child: `child-${String(n)}` });
      if (n % 17 === 0) run.transition("nowhere" as "a", { name: `user-${String(n)}` });
    }
    const { view } = stepper;
    const sizes = Object.entries(view).flatMap(([name, value]: [string, unknown]) =>
      Array.isArray(value)
        ? [[name, value.length] as const]
        : value instanceof Map || value instanceof Set
          ? [[name, value.size] as const]
          : [],
    );
    expect(sizes.length).toBeGreaterThan(15);
    for (const [name, size] of sizes) expect(size, name).toBeLessThanOrEqual(VIEW_LIMITS.episodes);
    expect(view.transitions).toHaveLength(VIEW_LIMITS.transitions);
    expect(view.nudges).toHaveLength(VIEW_LIMITS.nudges);
    expect(view.alerts.size).toBeLessThanOrEqual(VIEW_LIMITS.alerts);
    expect(view.pending.size).toBe(VIEW_LIMITS.pending);
    expect(view.finishedCalls.older.size).toBe(VIEW_LIMITS.finishedCalls);
    expect(view.finishedCalls.fresh.size).toBeLessThan(VIEW_LIMITS.finishedCalls);
    expect(view.children.size).toBe(VIEW_LIMITS.children);
    expect(view.waivers.size).toBe(VIEW_LIMITS.waivers);
    expect(run.view.turn).toBe(10_000);
  });
});

describe("a policy that answers with a promise", () => {
  const asynchronous = (rejects: boolean): Promise<undefined> =>
    rejects ? Promise.reject(new Error("late")) : Promise.resolve(undefined);

  it.each([true, false])("a promise from observe disables the policy immediately; rejected: %s", async (rejects) => {
    const { run, of } = loggedRun({
      policies: [
        definePolicy({
          name: "async",
          initial: () => ({}),
          observe: { "progress.made": () => asynchronous(rejects) as never },
        }),
      ],
    });
    run.record(progress);
    run.record(progress);
    await new Promise((resolve) => {
      setTimeout(resolve, 0);
    });
    expect(of("policy.failed")).toMatchObject([
      {
        policy: "async",
        during: "observe",
        message: "TypeError: it returned a promise: a policy observes and decides synchronously",
      },
    ]);
  });

  it.each([true, false])("a promise from decide is recorded and decides nothing; rejected: %s", async (rejects) => {
    const { run, of } = loggedRun({
      policies: [definePolicy({ name: "async", decide: { "progress.made": () => asynchronous(rejects) as never } })],
    });
    run.record(progress);
    await new Promise((resolve) => {
      setTimeout(resolve, 0);
    });
    expect(of("policy.failed")).toMatchObject([
      {
        policy: "async",
        during: "decide",
        message: "TypeError: it returned a promise: a policy observes and decides synchronously",
      },
    ]);
  });
});

describe("a stop with an unknown reason", () => {
  it("a stop with an unknown reason is a failure of the policy; the run continues and ends", () => {
    const { run, of } = loggedRun({
      policies: [
        definePolicy({ name: "bored", decide: { "progress.made": () => stop({ reason: "bored" as "cancelled" }) } }),
      ],
    });
    run.record(progress);
    expect(of("policy.failed")[0]).toMatchObject({
      policy: "bored",
      message: 'TypeError: "bored" is not a reason to stop',
    });
    expect(run.end({ reason: "bored" as "cancelled" })).toBe(true);
    expect(run.outcome?.reason).toBe("unknown");
  });
});

it.each([
  [500, 900],
  [900, 500],
  [500, 500],
])("the earliest of the deadlines %d and %d counts, whichever policy has it", (...deadlines) => {
  const sleeper = (at: number, n: number): Policy => definePolicy({ name: `sleeper-${String(n)}`, wakeAt: () => at });
  const { run } = loggedRun({
    policies: [
      definePolicy({ name: "awake" }),
      ...deadlines.map(sleeper),
      definePolicy({ name: "never", wakeAt: () => undefined }),
    ],
  });
  expect(run.wakeAt).toBe(500);
});
