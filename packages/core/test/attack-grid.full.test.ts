import { describe, expect, it } from "vitest";
import {
  createRun,
  definePhaseGraph,
  definePolicy,
  type NewEvent,
  replayRun,
  type Run,
  type RunEvent,
  type RunOptions,
} from "../src/index.ts";
import { hostTypes } from "../src/events/run-event.ts";
import { shieldRun } from "../src/adapter.ts";

/** Throws whenever it is looked at. */
const unreadable = (): object =>
  new Proxy(
    {},
    {
      get: () => {
        throw new Error("get");
      },
      has: () => {
        throw new Error("has");
      },
      ownKeys: () => {
        throw new Error("ownKeys");
      },
      getPrototypeOf: () => {
        throw new Error("getPrototypeOf");
      },
    },
  );

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

function cyclic(): object {
  const value: Record<string, unknown> = { a: [] };
  value["self"] = value;
  (value["a"] as unknown[]).push(value);
  return value;
}

function nested(depth: number): unknown {
  let value: unknown = "deep";
  for (let n = 0; n < depth; n += 1) value = n % 2 === 0 ? { value } : [value];
  return value;
}

/** Values no type allows, each made anew. */
const hostile: Readonly<Record<string, () => unknown>> = {
  undefined: () => undefined,
  null: () => null,
  true: () => true,
  zero: () => 0,
  "a negative number": () => -1,
  NaN: () => Number.NaN,
  Infinity: () => Infinity,
  "a huge number": () => 1e300,
  "a bigint": () => 10n ** 30n,
  "a symbol": () => Symbol("s"),
  "no text": () => "",
  "a long text": () => "x".repeat(100_000),
  "half a character": () => "\ud800",
  "a name of a prototype": () => "__proto__",
  constructor: () => "constructor",
  "a function": () => () => "f",
  "a function that throws": () => () => {
    throw new Error("called");
  },
  "a date that is none": () => new Date(Number.NaN),
  "a list": () => [],
  "a list with holes": () => new Array<unknown>(1_000),
  "a list of itself": () => {
    const list: unknown[] = [];
    list.push(list);
    return list;
  },
  "no members": () => ({}),
  "no prototype": () => Object.create(null) as object,
  "a cycle": cyclic,
  "deep nesting": () => nested(10_000),
  "a getter that throws": () => ({
    get text() {
      throw new Error("getter");
    },
    get message() {
      throw new Error("getter");
    },
  }),
  "a proxy that throws": unreadable,
  "a revoked proxy": revoked,
  "toJSON that throws": () => ({
    toJSON: () => {
      throw new Error("toJSON");
    },
  }),
  "valueOf that throws": () => ({
    valueOf: () => {
      throw new Error("valueOf");
    },
    toString: () => {
      throw new Error("toString");
    },
  }),
  // As a value it is its owner's to catch; as an answer it is ours, see `answers`.
  "a promise that rejects": () => {
    const promise = Promise.reject(new Error("handled"));
    promise.catch(() => undefined);
    return promise;
  },
  "a thenable that throws": () => ({
    then: () => {
      throw new Error("then");
    },
  }),
  "an error with hostile members": () =>
    Object.defineProperties(new Error("x"), {
      name: {
        get: () => {
          throw new Error("name");
        },
      },
      message: {
        get: () => {
          throw new Error("message");
        },
      },
    }),
  bytes: () => new Uint8Array(100_000),
  "a map": () => new Map<unknown, unknown>([[Symbol("k"), cyclic()]]),
  "a frozen list": () => Object.freeze(["a"]),
};

const graph = definePhaseGraph({
  name: "grid",
  initial: "a",
  phases: { a: { next: ["b"] }, b: { next: ["a", "c"] }, c: { next: [], final: true } },
});
type Phase = keyof (typeof graph)["phases"];

const FIELDS = [
  "at",
  "agent",
  "call",
  "tool",
  "input",
  "output",
  "outcome",
  "error",
  "meaning",
  "host",
  "faults",
  "loop",
];
const MORE = [
  "text",
  "reason",
  "why",
  "by",
  "to",
  "usage",
  "data",
  "name",
  "run",
  "child",
  "policies",
  "found",
  "issues",
];

/** Every way into a run, with one value in every place of it. */
function entries(run: Run<Phase>): Readonly<Record<string, (value: never) => unknown>> {
  const members = (...names: readonly string[]) =>
    Object.fromEntries(names.map((name) => [`end.${name}`, (value: never) => run.end({ [name]: value })]));
  return {
    record: run.record,
    "record type": (type) => run.record({ type }),
    beforeTurn: run.beforeTurn,
    "beforeTurn agent": (agent) => run.beforeTurn({ agent }),
    "beforeTurn prompt": (prompt) => run.beforeTurn({ prompt }),
    beforeTool: run.beforeTool,
    "beforeTool call": (call) => run.beforeTool({ call, tool: "Read" }),
    "beforeTool tool": (tool) => run.beforeTool({ tool }),
    "beforeTool input": (input) => run.beforeTool({ tool: "Read", input }),
    "beforeTool at": (at) => run.beforeTool({ tool: "Read", at }),
    beforeFinish: run.beforeFinish,
    "beforeFinish text": (text) => run.beforeFinish({ text }),
    "beforeFinish canVeto": (canVeto) => run.beforeFinish({ canVeto }),
    text: run.text,
    "text stream": (stream) => run.text("some text", { stream }),
    "text options": (options) => run.text("some text", options),
    tick: run.tick,
    stop: run.stop,
    "stop reason": (reason) => run.stop({ reason }),
    "stop why": (why) => run.stop({ why }),
    transition: run.transition,
    "transition options": (options) => run.transition("b", options),
    "transition from": (from) => run.transition("b", { from }),
    "transition data": (data) => run.transition("b", { data }),
    skip: (phase) => run.skip(phase, { why: "x" }),
    "skip options": (options) => run.skip("b", options),
    rollback: run.rollback,
    "rollback options": (options) => run.rollback("a", options),
    suspend: run.suspend,
    "suspend timeoutMs": (timeoutMs) => run.suspend({ timeoutMs }),
    resume: run.resume,
    waive: (gate) => run.waive(gate, { why: "x" }),
    "waive options": (options) => run.waive("gate", options),
    "waive until": (until) => run.waive("gate", { why: "x", until }),
    subscribe: (subscriber) => run.subscribe(subscriber),
    "shielded beforeTool": shieldRun(run).beforeTool,
    "shielded record": shieldRun(run).record,
    end: run.end,
    ...members("reason", "error", "summary", "classify"),
  };
}

const logged = (options: RunOptions<Phase> = {}): { readonly run: Run<Phase>; readonly log: RunEvent[] } => {
  const log: RunEvent[] = [];
  const run = createRun<Phase>({ graph, id: "run", clock: () => 1000, mode: "gate", ...options });
  run.subscribe((step) => void log.push(...step));
  return { run, log };
};

/** A run that went through the worst still goes on, its log is whole, and it reads back. */
function expectWhole(run: Run<Phase>, log: readonly RunEvent[], what: string): void {
  if (run.view.status === "running") {
    expect(run.record({ type: "progress.made", what: "still here" }), what).toBe(true);
  }
  expect(
    log.map(({ seq }) => seq),
    what,
  ).toEqual(log.map((_event, index) => index + 1));
  expect(
    log.every(({ at }) => Number.isFinite(at)),
    what,
  ).toBe(true);
}

const cases = Object.entries(hostile);
/** What a part of a run may answer or throw; vitest fails when a rejection is left to the process. */
const answers: readonly (readonly [string, () => unknown])[] = [
  ...cases,
  ...cases.map(
    ([what, make]) =>
      [
        `a throw of ${what}`,
        (): unknown => {
          throw make();
        },
      ] as const,
  ),
  ["a rejection", () => Promise.reject(new Error("late"))],
  // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- that is the fault
  ["a rejection of nothing", () => Promise.reject(undefined)],
];

describe("hostile values", () => {
  it.each(Object.keys(entries(logged().run)))("hostile values never throw out of %s", (name) => {
    for (const [what, make] of cases) {
      const { run, log } = logged({
        policies: [definePolicy({ name: "watcher", watchText: () => ({ push: () => undefined }) })],
      });
      run.beforeTurn();
      expect(() => entries(run)[name]?.(make() as never), what).not.toThrow();
      expectWhole(run, log, `${name} with ${what}`);
    }
  });

  it.each([...FIELDS, ...MORE])("hostile values never throw out of record as the member %s of any event", (member) => {
    const { run, log } = logged();
    for (const type of hostTypes) {
      if (type === "run.finished") continue;
      for (const [what, make] of cases)
        expect(
          () => run.record({ type, tool: "Read", outcome: "ok", [member]: make() } as unknown as NewEvent),
          `${type}.${member} with ${what}`,
        ).not.toThrow();
    }
    expectWhole(run, log, member);
    expect(() => replayRun(JSON.parse(JSON.stringify(log)) as unknown[], { graph })).not.toThrow();
  });
});

const DECISIONS = ["nudge", "transition", "alert", "refuse", "veto", "vouch", "review", "stop", "emit"] as const;
const MEMBERS = {
  nudge: ["text", "priority", "episode", "topic", "times", "guidance"],
  transition: ["to", "reason", "summary", "outcome", "endReason", "predicate"],
  alert: ["kind", "signature", "severity", "count", "subject", "evidence"],
  refuse: ["text"],
  veto: ["text", "gate", "evidence"],
  vouch: ["gate", "verdict", "evidence"],
  review: ["kind", "text", "episode", "onlyInGate"],
  stop: ["reason", "how", "text", "onlyInGate"],
  emit: ["fact", "data"],
} as const;
const GOOD = {
  text: "t",
  to: "b",
  kind: "k",
  signature: "s",
  severity: "notice",
  count: 1,
  priority: 0,
  times: 1,
  verdict: "pass",
  reason: "policy_stop",
  how: "halt",
  outcome: "completed",
  input: { name: "n", derive: (data: unknown) => ({ type: "event.emitted", body: { name: "n", data } }) },
  data: {},
} as const;

/** Asks a run with a policy everything there is to ask, a few times. */
function exercise(run: Run<Phase>): void {
  for (let n = 0; n < 3; n += 1) {
    run.beforeTurn();
    run.beforeTool({ call: `c${String(n)}`, tool: "Read", input: { path: "a.ts" } });
    run.record({ type: "tool.finished", call: `c${String(n)}`, outcome: "ok", output: "x" });
    run.record({ type: "message.sent", text: "hello" });
    run.beforeFinish();
    run.transition(n % 2 === 0 ? "b" : "a");
    expect(typeof run.wakeAt).toMatch(/undefined|number/);
    run.tick(2000 + n);
  }
  run.end();
}

type Answer = (...given: readonly unknown[]) => unknown;
const at = ["turn.started", "tool.requested", "tool.finished", "finish.requested", "move.requested"] as const;

describe("hostile parts of a run", () => {
  it.each(DECISIONS)("a decision %s with any member never throws into the host", (decision) => {
    for (const member of MEMBERS[decision]) {
      for (const [what, make] of cases) {
        const decide = Object.fromEntries(at.map((type) => [type, () => ({ decision, ...GOOD, [member]: make() })]));
        const { run, log } = logged({ policies: [definePolicy({ name: "hostile", decide: decide })] });
        expect(() => {
          exercise(run);
        }, `${member} is ${what}`).not.toThrow();
        expectWhole(run, log, `${member} is ${what}`);
        expect(run.view.status).toBe("ended");
      }
    }
  });

  it.each<readonly [string, (answer: () => unknown) => object]>([
    ["observe", (answer: () => unknown) => ({ observe: Object.fromEntries(at.map((type) => [type, answer])) })],
    ["decide", (answer: () => unknown) => ({ decide: Object.fromEntries(at.map((type) => [type, answer])) })],
    ["initial", (answer: () => unknown) => ({ initial: answer, observe: { "turn.started": () => undefined } })],
    ["wakeAt", (answer: () => unknown) => ({ wakeAt: answer })],
    ["watchText", (answer: () => unknown) => ({ watchText: answer })],
    ["a watcher", (answer: () => unknown) => ({ watchText: () => ({ push: answer }) })],
  ])("%s of a policy that answers or throws anything never throws into the host", (_part, partOf) => {
    for (const [what, answer] of answers) {
      const { run, log } = logged({ policies: [{ name: "hostile", ...partOf(answer) }] });
      expect(() => {
        run.text("x".repeat(1000));
        exercise(run);
      }, what).not.toThrow();
      expectWhole(run, log, what);
    }
  });

  it.each([
    ["interpret", (answer: Answer) => ({ interpret: { name: "i", interpret: answer } })],
    ["redact", (answer: Answer) => ({ redact: answer })],
    ["onError", (answer: Answer) => ({ onError: answer })],
    ["classify", (answer: Answer) => ({ classify: answer })],
    ["clock", (answer: Answer) => ({ clock: answer })],
  ])("the option %s that answers or throws anything never throws into the host", (part, partOf) => {
    for (const [what, answer] of answers) {
      // A redactor has to let a run start; from then on anything may happen.
      let started = part !== "redact";
      const options = partOf((...given: readonly unknown[]) => (started ? answer() : given[0]));
      const { run, log } = logged(options as never);
      started = true;
      run.subscribe(() => answer() as never);
      expect(() => {
        run.record({ type: "model.failed", message: "x" });
        exercise(run);
        run.end({ error: new Error("x") });
      }, what).not.toThrow();
      expectWhole(run, log, `${part} gives ${what}`);
      expect(run.view.status, `${part} gives ${what}`).toBe("ended");
    }
  });
});
