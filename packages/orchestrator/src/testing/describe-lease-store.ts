import type { LeaseAnswer, LeaseRequest, LeaseStore } from "../leases/lease-store.ts";

/** A store under test, and a way to advance its clock. */
export interface LeaseStoreHarness {
  readonly store: LeaseStore;
  /** Lets time pass for the store: advances a manual clock, or waits. */
  readonly elapse: (ms: number) => Promise<void> | void;
  readonly cleanUp?: () => Promise<void> | void;
}

/** Options for `describeLeaseStore()`. The functions of vitest and node:test fit. */
export interface DescribeLeaseStoreOptions {
  readonly describe: (name: string, body: () => void) => unknown;
  readonly it: (name: string, body: () => Promise<void>) => unknown;
  /** Time unit in milliseconds. Leases last 10 units. Use a small one for stores that really wait. @default 100 */
  readonly unitMs?: number;
}

/** Inputs of a test: the store, its clock, and requests for one resource. */
interface TestInput {
  readonly store: LeaseStore;
  readonly elapse: (units: number) => Promise<void>;
  readonly request: (holder: string, more?: Partial<LeaseRequest>) => LeaseRequest;
  readonly unitMs: number;
}

/**
 * Conformance suite for lease stores: one holder at a time, first come first served, expiry by the store's clock,
 * fences that only grow, and idempotent answers. Pass a function that creates an empty store.
 *
 * @example
 * const clock = manualClock();
 * const create = () => ({ store: createMemoryLeaseStore({ clock: clock.now }), elapse: clock.advance });
 * describeLeaseStore("memory", create, { describe, it });
 */
export function describeLeaseStore(
  name: string,
  makeStore: () => LeaseStoreHarness | Promise<LeaseStoreHarness>,
  { describe, it, unitMs = 100 }: DescribeLeaseStoreOptions,
): void {
  const request = (holder: string, more: Partial<LeaseRequest> = {}): LeaseRequest => ({
    resource: "project",
    holder,
    ttlMs: 10 * unitMs,
    maxHoldMs: 100 * unitMs,
    ...more,
  });
  const test = (title: string, body: (harness: TestInput) => Promise<void>): void =>
    void it(title, async () => {
      const { store, elapse, cleanUp } = await makeStore();
      try {
        await body({
          store,
          elapse: async (units) => {
            await elapse(units * unitMs);
          },
          request,
          unitMs,
        });
      } finally {
        await cleanUp?.();
        await store.close?.();
      }
    });

  describe(`lease store ${name}`, () => {
    for (const [title, body] of Object.entries(PROMISES)) test(title, body);
  });
}

/** The promises of every lease store. */
const PROMISES: Readonly<Record<string, (harness: TestInput) => Promise<void>>> = {
  "acquire grants a free resource and queues later requests in order of arrival": async ({ store, request }) => {
    const first = await granted(store, request("c1"));
    same([first.holder, first.resource], ["c1", "project"]);
    for (const [index, holder] of ["c2", "c3", "c4"].entries()) {
      const answer = await store.acquire(request(holder));
      same(answer.status, "queued");
      if (answer.status === "queued") same([answer.position, answer.holder], [index + 1, "c1"]);
    }
    same((await store.status("project")).queue, ["c2", "c3", "c4"]);
  },

  "release passes the lease to the first in the queue": async ({ store, request }) => {
    let lease = await granted(store, request("c1"));
    for (const holder of ["c2", "c3", "c4"]) await store.acquire(request(holder));
    const holders: (string | undefined)[] = [];
    for (let n = 0; n < 2; n += 1) {
      same(await store.release(lease), true);
      const { lease: next } = await store.status("project");
      holders.push(next?.holder);
      if (next !== undefined) lease = next;
    }
    same(holders, ["c2", "c3"]);
    same((await store.status("project")).queue, ["c4"]);
  },

  "acquire is idempotent: the holder keeps its fence, a waiting holder its place": async ({ store, request }) => {
    const { fence } = await granted(store, request("c1"));
    same((await granted(store, request("c1"))).fence, fence);
    await store.acquire(request("c2"));
    same(place(await store.acquire(request("c2"))), 1);
    same((await store.status("project")).queue, ["c2"]);
  },

  "a lease expires at its time and not before, and passes to the next in the queue": async ({
    store,
    elapse,
    request,
  }) => {
    const lost = await granted(store, request("c1"));
    await store.acquire(request("c2"));
    await elapse(5);
    same((await store.status("project")).lease?.holder, "c1");
    await elapse(6);
    const { lease } = await store.status("project");
    same(lease?.holder, "c2");
    same((lease?.fence ?? 0) > lost.fence, true);
  },

  "a holder that lost the lease can neither renew nor release it": async ({ store, elapse, request, unitMs }) => {
    const lost = await granted(store, request("c1"));
    await elapse(11);
    const now = await granted(store, request("c2"));
    same(await store.renew({ ...lost, ttlMs: 10 * unitMs }), undefined);
    same(await store.release(lost), false);
    same((await store.status("project")).lease?.fence, now.fence);
  },

  "a holder that lost the lease and acquires it again gets a higher fence": async ({
    store,
    elapse,
    request,
    unitMs,
  }) => {
    const lost = await granted(store, request("c1"));
    await elapse(11);
    const again = await granted(store, request("c1"));
    same(again.fence > lost.fence, true);
    same(await store.renew({ ...lost, ttlMs: 10 * unitMs }), undefined);
  },

  "takeOver gives a higher fence and does not extend the lease's end": async ({ store, elapse, request, unitMs }) => {
    const died = await granted(store, request("c1"));
    await store.acquire(request("c2"));
    await elapse(5);
    const taken = await granted(store, request("c1", { takeOver: true }));
    same([taken.fence > died.fence, taken.endsAt], [true, died.endsAt]);
    same(await store.renew({ ...died, ttlMs: 10 * unitMs }), undefined);
    same(await store.release(died), false);
    same((await store.renew({ ...taken, ttlMs: 10 * unitMs }))?.fence, taken.fence);
    same((await store.status("project")).queue, ["c2"]);
  },

  "renew extends the lease, never past its end": async ({ store, elapse, request, unitMs }) => {
    const lease = await granted(store, request("c1", { maxHoldMs: 20 * unitMs }));
    await elapse(8);
    same((await store.renew({ ...lease, ttlMs: 10 * unitMs }))?.fence, lease.fence);
    await elapse(8);
    const last = await store.renew({ ...lease, ttlMs: 10 * unitMs });
    same(last?.expiresAt, last?.endsAt);
    await elapse(5);
    same(await store.renew({ ...lease, ttlMs: 10 * unitMs }), undefined);
  },

  "a promoted holder that never calls acquire loses the lease to the next": async ({ store, elapse, request }) => {
    const lease = await granted(store, request("c1"));
    await store.acquire(request("gone"));
    await store.acquire(request("c3"));
    await store.release(lease);
    same((await store.status("project")).lease?.holder, "gone");
    await elapse(11);
    same((await store.status("project")).lease?.holder, "c3");
  },

  "withdraw leaves the queue and moves the others up": async ({ store, request }) => {
    await granted(store, request("c1"));
    for (const holder of ["c2", "c3"]) await store.acquire(request(holder));
    same(await store.withdraw({ resource: "project", holder: "c2" }), true);
    same(await store.withdraw({ resource: "project", holder: "c2" }), false);
    same(place(await store.acquire(request("c3"))), 1);
  },

  "forceRelease takes the lease away once, and the old holder cannot renew it": async ({ store, request, unitMs }) => {
    const lease = await granted(store, request("c1"));
    await store.acquire(request("c2"));
    same(await store.forceRelease("project"), true);
    same((await store.status("project")).lease?.holder, "c2");
    same(await store.renew({ ...lease, ttlMs: 10 * unitMs }), undefined);
    same(await store.forceRelease("free"), false);
  },

  "the estimated wait grows with the place in the queue": async ({ store, request }) => {
    await granted(store, request("c1"));
    const waits = await Promise.all(["c2", "c3"].map((holder) => store.acquire(request(holder))));
    const [one = 0, two = 0] = waits.map((answer) => (answer.status === "queued" ? answer.estimateMs : -1));
    same([one >= 0, two > one], [true, true]);
  },

  "leases of different resources are independent": async ({ store, request }) => {
    await granted(store, request("c1"));
    const other = await granted(store, request("c2", { resource: "other" }));
    same(await store.release(other), true);
    same((await store.status("project")).lease?.holder, "c1");
    same((await store.status("other")).lease, undefined);
  },

  "acquire grants exactly one of many concurrent requests": async ({ store, request }) => {
    const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => store.acquire(request(`c${n}`))));
    same(answers.filter(({ status }) => status === "granted").length, 1);
    same(
      answers
        .map(place)
        .filter((position) => position > 0)
        .toSorted((a, b) => a - b),
      Array.from({ length: 19 }, (_, n) => n + 1),
    );
  },
};

async function granted(store: LeaseStore, request: LeaseRequest) {
  const answer = await store.acquire(request);
  if (answer.status !== "granted")
    throw new Error(
      `Expected the store to grant "${request.resource}" to "${request.holder}", but the answer is "${answer.status}".`,
    );
  return answer.lease;
}

function place(answer: LeaseAnswer): number {
  return answer.status === "queued" ? answer.position : 0;
}

function same(found: unknown, wanted: unknown): void {
  const [is, should] = [JSON.stringify([found]), JSON.stringify([wanted])];
  if (is !== should) throw new Error(`Expected ${should}, found ${is}.`);
}
