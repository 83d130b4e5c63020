import { budget, createRun, isPhasekitError, type RunOptions } from "@phasekit/core";
import { describe, expect, it } from "vitest";
import { durableRun, type DurableRunOptions } from "./durable-run.ts";
import { newEvents } from "./kept-log.ts";
import { createSteps } from "./steps.ts";

const START = 1_700_000_000_000;

/** Runs code that must throw and returns the code of its error. */
function codeOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (isPhasekitError(error)) return error.code;
    throw error;
  }
  return "none";
}

describe("durableRun", () => {
  it("durableRun takes every time from the engine and every id from its own", () => {
    let time = START;
    const run = durableRun({ id: "run-1", now: () => time });
    time += 500;
    run.beforeTurn();
    const child = run.child();
    expect(newEvents(run, 0).map(({ type, at }) => [type, at - START])).toEqual([
      ["run.started", 0],
      ["turn.started", 500],
      ["child.started", 500],
    ]);
    expect([run.id, child.id, run.child().id]).toEqual(["run-1", "run-1.2", "run-1.3"]);
  });

  it.each<{ readonly what: string; readonly options: object }>([
    { what: "Date.now", options: { now: Date.now } },
    { what: "a function around Date.now", options: { now: () => Date.now() + 1 } },
    { what: "no time", options: {} },
    { what: "a clock of a run", options: { now: () => START, clock: Date.now } },
    { what: "ids of a run", options: { now: () => START, createId: () => "x" } },
    { what: "no id", options: { now: () => START, id: undefined } },
  ])("durableRun refuses $what", ({ options }) => {
    const clock = Date.now;
    expect(codeOf(() => durableRun({ id: "run-1", ...options } as unknown as DurableRunOptions))).toBe("HOST_CLOCK");
    expect(Date.now).toBe(clock);
  });

  it("durableRun accepts a Date.now that the engine put in its place", () => {
    const host = Date.now;
    try {
      Date.now = () => START;
      expect(codeOf(() => durableRun({ id: "run-1", now: Date.now }))).toBe("none");
    } finally {
      Date.now = host;
    }
  });

  it("durableRun has no time before the first step", () => {
    const steps = createSteps((_name, work) => work());
    expect(codeOf(() => durableRun({ id: "run-1", steps }))).toBe("NO_TIME_YET");
  });

  it("durableRun continues from a snapshot with the next event, and with ids of its own", () => {
    const first = durableRun({ id: "run-1", now: () => START });
    first.child().end();
    const from = first.snapshot();
    const continued = durableRun({ id: "run-1", now: () => START, from });
    continued.beforeTurn();
    expect(newEvents(continued, from.seq).map(({ type, seq }) => [type, seq])).toEqual([
      ["turn.started", from.seq + 1],
    ]);
    expect(continued.child().id).toBe(`run-1.${String(from.seq + 1)}`);
  });

  it("durableRun decides as createRun does", () => {
    const options: RunOptions<"working"> = { policies: [budget({ turns: 2 })] };
    const runs = [
      createRun({ ...options, id: "run-1", clock: () => START }),
      durableRun({ ...options, id: "run-1", now: () => START }),
    ];
    for (const run of runs)
      for (let turn = 0; turn < 4; turn += 1) {
        run.beforeTurn();
        run.record({ type: "model.answered" });
      }
    expect(runs[1]?.view.stopped).toEqual(runs[0]?.view.stopped);
    expect(runs[1]?.view.stopped?.reason).toBe("turn_limit");
  });
});

describe("newEvents", () => {
  it("newEvents gives the same events for the same number, and forgets what is stored", () => {
    const run = durableRun({ id: "run-1", now: () => START });
    run.beforeTurn();
    expect(newEvents(run, 0)).toEqual(newEvents(run, 0));
    expect(newEvents(run, 1).map(({ seq }) => seq)).toEqual([2]);
    run.record({ type: "model.answered" });
    expect(newEvents(run, 1).map(({ seq }) => seq)).toEqual([2, 3]);
    expect(codeOf(() => newEvents(run, 0))).toBe("EVENTS_RELEASED");
  });

  it("newEvents leaves out events that come later and are stored already", () => {
    const run = durableRun({ id: "run-1", now: () => START });
    expect(newEvents(run, 2)).toEqual([]);
    run.beforeTurn();
    run.record({ type: "model.answered" });
    expect(newEvents(run, 2).map(({ seq }) => seq)).toEqual([3]);
  });

  it("newEvents refuses a run that keeps no events", () => {
    expect(codeOf(() => newEvents(createRun(), 0))).toBe("NOT_DURABLE");
  });
});
