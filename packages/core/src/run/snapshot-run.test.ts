import { describe, expect, it } from "vitest";
import { budget } from "../policies/budget.ts";
import { definePolicy, type Policy } from "../policies/policy.ts";
import { createRun, type Run } from "./run.ts";
import type { RunSnapshot } from "./snapshot-run.ts";

const START = 1_700_000_000_000;
const copy = (snapshot: RunSnapshot): RunSnapshot => JSON.parse(JSON.stringify(snapshot)) as RunSnapshot;
const make = (policies: readonly Policy[], from?: RunSnapshot): Run =>
  createRun({ id: "run-1", clock: () => START, policies, ...(from !== undefined && { from }) }) as Run;

/** A policy that keeps a value of its own choice. */
const keeping = (value: unknown): Policy =>
  definePolicy({ name: "keeper", initial: () => ({ kept: { value } }), observe: { "turn.started": () => undefined } });

describe("snapshot", () => {
  it("snapshot is JSON, and the run continues with the next number", () => {
    const run = make([budget({ turns: 3 })]);
    run.beforeTurn();
    run.record({ type: "model.answered" });
    const continued = make([budget({ turns: 3 })], copy(run.snapshot()));
    expect(continued.view.seq).toBe(run.view.seq);
    const seen: number[] = [];
    continued.subscribe((step) => seen.push(...step.map(({ seq }) => seq)));
    continued.beforeTurn();
    expect(seen[0]).toBe(run.view.seq + 1);
    expect(JSON.stringify(continued.view.usage)).toBe(JSON.stringify(run.view.usage));
  });

  it("the continued run does not change the first one", () => {
    const run = make([]);
    const continued = make([], run.snapshot());
    continued.beforeTurn();
    expect([run.view.turn, continued.view.turn]).toEqual([0, 1]);
  });

  it("a policy that failed stays disabled", () => {
    const broken = definePolicy({
      name: "broken",
      initial: () => ({}),
      observe: {
        "turn.started": () => {
          throw new Error("no");
        },
      },
    });
    const run = make([broken]);
    run.beforeTurn();
    const continued = make([broken], copy(run.snapshot()));
    const types: string[] = [];
    continued.subscribe((step) => types.push(...step.map(({ type }) => type)));
    continued.record({ type: "model.answered" });
    continued.beforeTurn();
    expect(types).toEqual(["model.answered", "turn.started"]);
  });

  it.each([
    { what: "a function", value: () => 1 },
    { what: "a symbol", value: Symbol("x") },
    { what: "a bigint", value: 1n },
    { what: "an object of a class", value: new Error("x") },
  ])("snapshot names the policy whose state holds $what", ({ what, value }) => {
    expect(() => make([keeping(value)]).snapshot()).toThrow(
      expect.objectContaining({
        code: "NOT_STORABLE",
        message: `No snapshot can be taken, because of policy "keeper": "kept.value" is ${what}.`,
      }) as Error,
    );
  });

  it("snapshot names an interpreter that keeps a memory and cannot save it", () => {
    const interpret = { name: "mine", interpret: () => undefined, recall: () => undefined };
    expect(() => createRun({ interpret }).snapshot()).toThrow('because of interpreter "mine": it has no save()');
  });

  it("snapshot waits for a message and for sub-agents", () => {
    const watching = definePolicy({ name: "watching", watchText: () => ({ push: () => undefined }) });
    const run = make([watching]);
    run.text("Hel");
    expect(() => run.snapshot()).toThrow("a message is being streamed");
    run.record({ type: "message.sent", text: "Hello" });
    const child = run.child();
    expect(() => run.snapshot()).toThrow("a sub-agent is working");
    child.end();
    expect(run.snapshot().seq).toBe(run.view.seq);
  });

  it.each<{ readonly what: string; readonly change: (snapshot: RunSnapshot) => unknown; readonly code: string }>([
    { what: "another version", change: (snapshot) => ({ ...snapshot, version: 2 }), code: "DAMAGED_SNAPSHOT" },
    { what: "a changed state", change: (snapshot) => ({ ...snapshot, state: [] }), code: "DAMAGED_SNAPSHOT" },
    { what: "text", change: () => "snapshot", code: "DAMAGED_SNAPSHOT" },
    { what: "another run", change: (snapshot) => ({ ...snapshot, run: "run-2" }), code: "OTHER_SNAPSHOT" },
    { what: "another graph", change: (snapshot) => ({ ...snapshot, graph: "support" }), code: "OTHER_SNAPSHOT" },
    { what: "other policies", change: () => make([]).snapshot(), code: "OTHER_SNAPSHOT" },
  ])("createRun refuses $what by name", ({ change, code }) => {
    const policies = [budget({ turns: 3 })];
    const from = change(copy(make(policies).snapshot())) as RunSnapshot;
    expect(() => make(policies, from)).toThrow(expect.objectContaining({ code }) as Error);
  });
});
