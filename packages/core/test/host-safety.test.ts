import { describe, expect, it } from "vitest";
import {
  createRun,
  definePhaseGraph,
  definePolicy,
  type Interpreter,
  type Policy,
  replayRun,
  type Run,
  type RunEvent,
  type RunOptions,
  type RunView,
} from "../src/index.ts";

function logged(options: RunOptions = {}): { readonly run: Run; readonly log: RunEvent[] } {
  const log: RunEvent[] = [];
  const run = createRun<string>({ id: "run", clock: () => 1000, ...options });
  run.subscribe((step) => void log.push(...step));
  return { run, log };
}

const failuresIn = (log: readonly RunEvent[]): readonly string[] =>
  log.flatMap((event) => (event.type === "policy.failed" ? [`${event.policy} ${event.during}`] : []));

const made = { type: "progress.made", what: "x" } as const;
const tick = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));

describe("a subscriber", () => {
  it("a subscriber that rejects later is reported, and the process continues", async () => {
    const errors: unknown[] = [];
    const { run } = logged({ onError: (error) => void errors.push(error) });
    // oxlint-disable-next-line typescript/no-misused-promises -- that is the fault
    const unsubscribe = run.subscribe(async () => {
      await tick();
      throw new Error("store is full");
    });
    run.record(made);
    unsubscribe();
    await tick();
    await tick();
    expect(errors.map(String)).toEqual(["Error: store is full", "Error: store is full"]);
  });

  it("a subscriber cannot change what the next one gets", () => {
    const errors: unknown[] = [];
    const run = createRun({ clock: () => 1000, onError: (error) => void errors.push(error) });
    run.subscribe((step) => {
      (step as RunEvent[]).length = 0;
    });
    run.subscribe((step) => {
      Object.assign(step[0] as object, { type: "x" });
    });
    run.subscribe((step) => {
      for (const event of step)
        if (event.type === "tool.requested") (event.meaning.targets as string[]).push("forged.ts");
    });
    run.subscribe((step) => {
      for (const event of step) if (event.type === "tool.requested") (event.input as { list: string[] }).list[0] = "x";
    });
    const log: RunEvent[] = [];
    run.subscribe((step) => void log.push(...step));
    run.beforeTool({ tool: "Read", input: { file_path: "a.ts", list: ["b"] } });
    expect(log.at(-1)).toMatchObject({
      type: "tool.requested",
      input: { list: ["b"] },
      meaning: { targets: ["a.ts"] },
    });
    expect(errors.length).toBeGreaterThan(4);
  });

  it("a subscriber may record events; an endless one is stopped, recorded and finally ignored", () => {
    const { run, log } = logged();
    let heard = 0;
    run.subscribe(() => {
      heard += run.record(made) ? 1 : 0;
    });
    run.record(made);
    expect(new Set(failuresIn(log))).toEqual(new Set(["recording-subscriber record"]));
    for (let n = 0; n < 4; n += 1) run.record(made);
    expect(failuresIn(log)).toHaveLength(3);
    const before = heard;
    run.record(made);
    expect(heard).toBe(before);
    expect(log.length).toBeLessThan(200);
  });
});

describe("recording for every event", () => {
  const parts: Readonly<Record<string, (record: () => unknown) => RunOptions>> = {
    "a policy that observes": (record) => ({
      policies: [definePolicy({ name: "p", observe: { "progress.made": () => void record() } })],
    }),
    "a policy that decides": (record) => ({
      policies: [definePolicy({ name: "p", decide: { "progress.made": () => void record() } })],
    }),
    "an interpreter": (record) => ({
      interpret: { name: "i", interpret: () => void record() } satisfies Interpreter,
    }),
    "a redactor": (record) => ({
      redact: (input) => {
        record();
        return input;
      },
    }),
    "a clock": (record) => ({
      clock: () => {
        record();
        return 1000;
      },
    }),
  };

  it.each(Object.keys(parts))("endless recording by %s comes to an end and is recorded", (name) => {
    const held: { run?: Run } = {};
    const input = name === "an interpreter" ? ({ type: "tool.requested", tool: "Read" } as const) : made;
    // Three for each, so that the number grows as fast as it can.
    const options = parts[name]?.(() => [1, 2, 3].map(() => held.run?.record(input)));
    const { run, log } = logged(options);
    held.run = run;
    for (let n = 0; n < 6; n += 1) {
      expect(run.record(input)).toBe(true);
      run.tick();
      run.suspend({ timeoutMs: 5 });
      run.resume();
    }
    expect(failuresIn(log)).toContain("recording-while-deciding record");
    expect(log.length).toBeLessThan(5000);
    expect(log.map(({ seq }) => seq)).toEqual(log.map((_event, index) => index + 1));
    expect(run.end()).toBe(true);
  });
});

describe("a clock", () => {
  it.each([
    [
      "throws",
      (): number => {
        throw new Error("no time");
      },
    ],
    ["gives NaN", () => Number.NaN],
    ["gives Infinity", () => Infinity],
    ["gives a date", () => new Date(5) as unknown as number],
  ])("a clock that %s is recorded once, and the last good time counts", (_what, broken) => {
    let works = true;
    const { run, log } = logged({ clock: () => (works ? 5000 : broken()) });
    works = false;
    run.beforeTurn();
    run.record(made);
    run.record({ ...made, at: 6000 });
    run.record({ ...made, at: Number.NaN });
    run.record({ ...made, at: 1e300 });
    expect(run.tick()).toBe(false);
    works = true;
    run.end();
    expect(log.every(({ at }) => Number.isFinite(at) && at <= 6000)).toBe(true);
    expect(failuresIn(log)).toEqual(["clock clock"]);
  });

  it("a clock that never works does not keep a run from starting in system time", () => {
    const { run, log } = logged({ clock: () => Number.NaN });
    run.record(made);
    expect(log[0]?.at).toBeGreaterThan(1_600_000_000_000);
  });
});

describe("the view a policy reads", () => {
  const graph = definePhaseGraph({
    name: "g",
    initial: "a",
    phases: { a: { next: ["b"] }, b: { next: ["a"], final: true } },
  });
  const attacks: Readonly<Record<string, (view: RunView) => unknown>> = {
    "a member is written": (view) => Object.assign(view, { phase: "b" }),
    "the status is written": (view) => Reflect.set(view, "status", "ended") || fail(),
    "a map is emptied": (view) => {
      (view.pending as Map<string, unknown>).clear();
    },
    "a map is emptied by the prototype": (view) => {
      Map.prototype.clear.call(view.pending);
    },
    "a call is rewritten": (view) => {
      for (const call of view.pending.values()) Object.assign(call, { tool: "rm" });
    },
    "the input of a call is rewritten": (view) => {
      for (const { input } of view.pending.values()) Object.assign(input as object, { path: "/" });
    },
    "counters are written": (view) => Object.assign(view.usage, { cost: 1e9 }),
    "a list is emptied": (view) => {
      (view.transitions as unknown[]).length = 0;
    },
    "the graph is rewritten": (view) => Object.assign(view.graph.phases["a"] as object, { next: [] }),
    "the task is rewritten": (view) => Object.assign(view.task as object, { text: "other" }),
    "it is given another method": (view) => Object.assign(view, { isIn: () => true }),
  };
  const fail = (): never => {
    throw new TypeError("refused");
  };

  function play(attack: (view: RunView) => unknown): {
    readonly log: readonly RunEvent[];
    readonly run: Run<"a" | "b">;
  } {
    const hostile: Policy = definePolicy({
      name: "hostile",
      decide: { "tool.requested": (view) => void attack(view), "turn.started": (view) => void attack(view) },
    });
    const log: RunEvent[] = [];
    const run = createRun({ graph, policies: [hostile], clock: () => 1000, id: "run", task: { text: "mine" } });
    run.subscribe((step) => void log.push(...step));
    run.beforeTurn();
    run.transition("b");
    run.transition("a");
    run.beforeTool({ call: "1", tool: "Read", input: { path: "a.ts" } });
    run.beforeTool({ call: "2", tool: "Read", input: { path: "b.ts" } });
    run.record({ type: "tool.finished", call: "1", outcome: "ok" });
    run.transition("b");
    run.end();
    return { log, run };
  }
  const without = (log: readonly RunEvent[]): readonly unknown[] =>
    log.filter(({ type }) => type !== "policy.failed").map(({ seq: _seq, ...event }) => ({ ...event, cause: 0 }));
  const peaceful = play(() => undefined);

  it.each(Object.keys(attacks))("the view is not changed when %s; the policy fails, the host continues", (name) => {
    const { log, run } = play(attacks[name] as (view: RunView) => unknown);
    expect(without(log)).toEqual(without(peaceful.log));
    expect(failuresIn(log).length).toBeGreaterThan(0);
    expect(run.outcome).toEqual(peaceful.run.outcome);
  });

  it("the view may be frozen without harm", () => {
    const { log } = play((view) => Object.freeze(view));
    expect(without(log)).toEqual(without(peaceful.log));
    expect(failuresIn(log)).toEqual([]);
  });

  it("the view of a replayed run cannot be changed either", () => {
    const stored = JSON.parse(JSON.stringify(peaceful.log.slice(0, 6))) as unknown[];
    const { run } = replayRun(stored, { graph });
    for (const call of run.view.pending.values()) expect(() => Object.assign(call, { tool: "rm" })).toThrow(TypeError);
    expect(() => Object.assign(run.view.task as object, { text: "other" })).toThrow(TypeError);
  });

  it("a view that a policy cannot start with is the policy's failure, not the host's", () => {
    const { run, log } = logged({
      policies: [
        definePolicy({
          name: "unborn",
          initial: (): number => {
            throw new Error("no state");
          },
          observe: { "progress.made": () => undefined },
        }),
      ],
    });
    run.record(made);
    expect(failuresIn(log)).toEqual(["unborn observe"]);
  });
});
