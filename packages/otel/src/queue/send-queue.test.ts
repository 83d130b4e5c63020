import { describe, expect, it } from "vitest";
import { RefusedForGood, type SendLimits, SendQueue } from "./send-queue.ts";

/** A queue whose pauses end when the test says so, with a receiver that fails as often as it is told. */
function queueWith(limits: SendLimits = {}) {
  const received: (readonly number[])[] = [];
  const attempts: (readonly number[])[] = [];
  let failures = 0;
  let failure: Error = new Error("down");
  const queue = new SendQueue<number, readonly number[]>(
    {
      prepare: (items) => [...items],
      send: (batch) => {
        attempts.push(batch);
        if (failures > 0) {
          failures -= 1;
          return Promise.reject(failure);
        }
        received.push(batch);
        return Promise.resolve();
      },
    },
    { lingerMs: 0, retryMs: 0, wait: () => new Promise((resolve) => setImmediate(resolve)), flushMs: 1, ...limits },
  );
  return {
    queue,
    received,
    attempts,
    fail: (times: number, error = new Error("down")) => {
      failures = times;
      failure = error;
    },
    settle: async () => {
      for (let turn = 0; turn < 200 && queue.status().waiting > 0; turn += 1)
        await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

describe("SendQueue", () => {
  it("sends items in order, in batches", async () => {
    const { queue, received, settle } = queueWith({ maxBatch: 3 });
    queue.push([1, 2]);
    queue.push([3, 4, 5, 6, 7]);
    await settle();
    expect(received).toEqual([[1, 2, 3], [4, 5, 6], [7]]);
    expect(queue.status()).toEqual({ sent: 7, waiting: 0, dropped: 0, failures: 0 });
  });

  it("tries the same batch again until it arrives, whatever comes meanwhile", async () => {
    const { queue, attempts, received, fail, settle } = queueWith();
    fail(2);
    queue.push([1]);
    while (attempts.length < 1) await new Promise((resolve) => setImmediate(resolve));
    queue.push([2]);
    await settle();
    expect(attempts).toEqual([[1], [1], [1], [2]]);
    expect(received).toEqual([[1], [2]]);
  });

  it("holds no more than its limit and counts what it drops", () => {
    const { queue, fail } = queueWith({ maxWaiting: 5 });
    fail(Infinity);
    for (let item = 0; item < 1000; item += 1) queue.push([item, item]);
    expect(queue.status()).toMatchObject({ waiting: 5, dropped: 1995 });
  });

  it("drops a batch that is refused for good and continues with the next", async () => {
    const { queue, received, fail, settle } = queueWith({ maxBatch: 1 });
    fail(1, new RefusedForGood("400"));
    queue.push([1, 2]);
    await settle();
    expect(received).toEqual([[2]]);
    expect(queue.status()).toEqual({ sent: 1, waiting: 0, dropped: 1, failures: 0 });
  });

  it("gives a flush up after its time, and says what is in the way", async () => {
    const { queue, fail } = queueWith({ retryMs: 1 });
    fail(Infinity);
    queue.push([1]);
    expect(await queue.flush()).toMatchObject({ sent: 0, waiting: 1 });
  });

  it("takes nothing after it was closed", async () => {
    const { queue, received } = queueWith({ flushMs: 50 });
    queue.push([1]);
    await queue.close();
    queue.push([2]);
    expect(received).toEqual([[1]]);
    expect(queue.status().dropped).toBe(1);
  });
});
