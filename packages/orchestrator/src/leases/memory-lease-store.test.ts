import { manualClock } from "@phasekit/core/testing";
import { describe, expect, it } from "vitest";
import type { LeaseRequest } from "./lease-store.ts";
import { createMemoryLeaseStore, type LeaseEvent, type MemoryLeaseStoreOptions } from "./memory-lease-store.ts";
import { describeLeaseStore } from "../testing.ts";

describeLeaseStore(
  "memory",
  () => {
    const clock = manualClock();
    return { store: createMemoryLeaseStore({ clock: clock.now }), elapse: clock.advance };
  },
  { describe, it },
);

const request = (holder: string): LeaseRequest => ({ resource: "r", holder, ttlMs: 100, maxHoldMs: 1000 });

function watched(options: MemoryLeaseStoreOptions = {}) {
  const clock = manualClock();
  const events: LeaseEvent[] = [];
  return {
    store: createMemoryLeaseStore({ clock: clock.now, onEvent: (event) => events.push(event), ...options }),
    clock,
    events,
  };
}

describe("createMemoryLeaseStore", () => {
  it("onEvent receives each change once", async () => {
    const { store, clock, events } = watched();
    const first = await store.acquire(request("c1"));
    await store.acquire(request("c2"));
    await store.acquire(request("c2"));
    if (first.status === "granted") await store.release(first.lease);
    clock.advance(100);
    await store.status("r");
    await store.status("r");
    expect(events.map(({ type, holder, why }) => [type, holder, why].filter(Boolean).join(" "))).toEqual([
      "granted c1",
      "queued c2",
      "released c1 released",
      "granted c2",
      "expired c2 ttl",
    ]);
  });

  it.each([
    { waited: 99, expired: false },
    { waited: 100, expired: true },
  ])("a lease expires at its time and not before: $waited ms, $expired", async ({ waited, expired }) => {
    const { store, clock } = watched();
    await store.acquire(request("c1"));
    clock.advance(waited);
    expect((await store.status("r")).lease === undefined).toBe(expired);
  });

  it.each([
    { maxQueue: 0, answers: ["granted", "refused", "refused"] },
    { maxQueue: 1, answers: ["granted", "queued", "refused"] },
    { maxQueue: 2, answers: ["granted", "queued", "queued"] },
  ])("acquire refuses if $maxQueue are already waiting", async ({ maxQueue, answers }) => {
    const { store } = watched({ maxQueue });
    const given: string[] = [];
    for (const holder of ["c1", "c2", "c3"]) given.push((await store.acquire(request(holder))).status);
    expect(given).toEqual(answers);
  });

  it("estimates use the durations of earlier leases", async () => {
    const { store, clock } = watched();
    const first = await store.acquire(request("c1"));
    clock.advance(40);
    if (first.status === "granted") await store.release(first.lease);
    await store.acquire(request("c2"));
    clock.advance(10);
    expect(await store.acquire(request("c3"))).toEqual({ status: "queued", position: 1, estimateMs: 30, holder: "c2" });
    expect(await store.acquire(request("c4"))).toMatchObject({ position: 2, estimateMs: 70 });
  });

  it("a listener that throws does not affect the store", async () => {
    const { store } = watched({
      onEvent: () => {
        throw new Error("listener");
      },
    });
    expect((await store.acquire(request("c1"))).status).toBe("granted");
  });

  it("createMemoryLeaseStore restores a snapshot without the leases that have expired since", async () => {
    const { store, clock } = watched();
    for (const holder of ["c1", "c2", "c3"]) await store.acquire(request(holder));
    const snapshot = JSON.parse(JSON.stringify(store.snapshot())) as ReturnType<typeof store.snapshot>;
    const again = createMemoryLeaseStore({ clock: clock.now, from: snapshot });
    expect(await again.status("r")).toMatchObject({ lease: { holder: "c1", fence: 1 }, queue: ["c2", "c3"] });
    clock.advance(150);
    const later = createMemoryLeaseStore({ clock: clock.now, from: snapshot });
    expect(await later.status("r")).toMatchObject({ lease: { holder: "c2", fence: 2 }, queue: ["c3"] });
  });

  it.each([
    [{ version: 2, resources: [] }, "version 2 is not supported"],
    [{ version: 1 }, "`resources` is not an array"],
  ])("createMemoryLeaseStore refuses %j as a snapshot", (from, problem) => {
    expect(() => createMemoryLeaseStore({ from: from as never })).toThrow(problem);
  });
});
