import { durableRun, newEvents, storeEvents } from "@phasekit/durable";
import { createMemoryStore, readRun } from "@phasekit/ledger";
import { describe, expect, it } from "vitest";

function runWithEvents() {
  const run = durableRun({ id: "run-1", now: () => 1000 });
  run.beforeTurn();
  run.record({ type: "model.answered" });
  return run;
}

describe("storeEvents", () => {
  it("storeEvents stores nothing twice when its step is tried again", async () => {
    const store = createMemoryStore();
    const run = runWithEvents();
    const events = newEvents(run, 0);
    expect(await storeEvents(store, run.id, { events: events.slice(0, 2), after: 0 })).toBe(2);
    // The engine never heard of it: the process died before the result was written down.
    expect(await storeEvents(store, run.id, { events, after: 0 })).toBe(3);
    expect(await storeEvents(store, run.id, { events, after: 0 })).toBe(3);
    expect(await readRun(store, run.id)).toEqual(events);
    expect(await storeEvents(store, run.id, { events: newEvents(run, 3), after: 3 })).toBe(3);
  });

  it("storeEvents lets the agent continue when the store fails, and the next call stores everything", async () => {
    const store = createMemoryStore();
    const run = runWithEvents();
    const problems: unknown[] = [];
    const broken = { ...store, append: () => Promise.reject(new Error("disk full")) };
    const after = await storeEvents(broken, run.id, {
      events: newEvents(run, 0),
      after: 0,
      onError: (problem) => problems.push(problem),
    });
    expect([after, problems.length]).toEqual([0, 1]);
    run.end();
    expect(await storeEvents(store, run.id, { events: newEvents(run, after), after })).toBe(5);
    expect((await readRun(store, run.id)).map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5]);
  });
});
