import { createRun, type RunEvent } from "@phasekit/core";
import { storeRun, createMemoryStore } from "@phasekit/ledger";
import { createServer, get, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { Writable } from "node:stream";
import { setImmediate as breathe } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { createRunFeeds, type FeedFollower, type RunFeeds } from "./run-feed.ts";
import { sendFeed } from "./send-feed.ts";

const plain = (event: RunEvent): RunEvent => event;

/** A run in a store that counts how often it is read. */
async function recordedRun(store = createMemoryStore()) {
  const run = createRun({ id: "r" });
  const stored = storeRun(run, store);
  const reads = { read: 0, tail: 0, left: 0 };
  const counted = {
    read: (...args: Parameters<typeof store.read>) => {
      reads.read += 1;
      return store.read(...args);
    },
    tail: (...args: Parameters<typeof store.tail>) => {
      reads.tail += 1;
      const tail = store.tail(...args)[Symbol.asyncIterator]();
      const leave = (): Promise<IteratorResult<readonly RunEvent[]>> => {
        reads.left += 1;
        return tail.return?.() ?? Promise.resolve({ done: true, value: undefined });
      };
      return { [Symbol.asyncIterator]: () => ({ next: () => tail.next(), return: leave }) };
    },
  };
  const record = async (count: number, size = 1000): Promise<void> => {
    for (let n = 0; n < count; n += 1)
      run.record({ type: "tool.finished", tool: "Read", outcome: "ok", output: "x".repeat(size) });
    await stored.flush();
  };
  await stored.flush();
  return { store: counted, memory: store, reads, record };
}

/** Everything a follower is given up to an event. */
async function drain(follower: FeedFollower, last: number): Promise<readonly RunEvent[]> {
  const events: RunEvent[] = [];
  for (let seq = 0; seq < last;) {
    const chunk = await follower.next();
    for (const line of (chunk?.bytes ?? "").toString().trim().split("\n")) events.push(JSON.parse(line) as RunEvent);
    seq = chunk?.seq ?? last;
  }
  return events;
}

/** Resolves when nothing in this process has anything left to do at the moment. */
async function settled(): Promise<undefined> {
  for (let turn = 0; turn < 20; turn += 1) await breathe();
  return undefined;
}

const seqs = (events: readonly RunEvent[]): readonly number[] => events.map(({ seq }) => seq);
const upTo = (last: number): readonly number[] => Array.from({ length: last }, (_, index) => index + 1);

describe("createRunFeeds", () => {
  it("gives every follower the whole log, in order, and then what is new", async () => {
    const { store, record } = await recordedRun();
    const feeds = createRunFeeds({ store, clean: plain });
    await record(200);
    const first = feeds.follow("r");
    expect(seqs(await drain(first, 201))).toEqual(upTo(201));
    const waiting = first.next();
    await record(3);
    const chunk = await waiting;
    expect(chunk?.seq).toBeGreaterThan(201);
    if (chunk?.seq !== 204) await drain(first, 204);
    expect(seqs(await drain(feeds.follow("r"), 204))).toEqual(upTo(204));
  });

  it("keeps nothing after the last follower has left", async () => {
    const { store, reads, record } = await recordedRun();
    const feeds = createRunFeeds({ store, clean: plain });
    await record(100);
    const followers = Array.from({ length: 10 }, () => feeds.follow("r"));
    for (const follower of followers) await drain(follower, 101);
    expect(feeds.size()).toMatchObject({ runs: 1 });
    const pending = followers[0]?.next();
    await settled();
    expect(reads).toMatchObject({ tail: 1, left: 0 });
    for (const follower of followers) {
      follower.leave();
      follower.leave();
    }
    await expect(pending).resolves.toBeUndefined();
    expect(feeds.size()).toEqual({ bytes: 0, runs: 0 });
    expect(reads).toMatchObject({ tail: 1, left: 1 });
    await record(10);
    await settled();
    expect(feeds.size()).toEqual({ bytes: 0, runs: 0 });
  });

  it("ends with the run's removal, and for a run that is not there", async () => {
    const { store, memory, record } = await recordedRun();
    const feeds = createRunFeeds({ store, clean: plain });
    await record(1);
    const follower = feeds.follow("r");
    await drain(follower, 2);
    const end = follower.next();
    await memory.remove("r");
    await expect(end).resolves.toBeUndefined();
    await expect(feeds.follow("none").next()).resolves.toBeUndefined();
  });

  it("gives the error of the store to every follower, and reads again for the next", async () => {
    let broken = true;
    const { store } = await recordedRun();
    const feeds = createRunFeeds({
      clean: plain,
      store: {
        ...store,
        read: (...args) => {
          if (broken) throw new RangeError("unreadable");
          return store.read(...args);
        },
      },
    });
    const [one, two] = [feeds.follow("r"), feeds.follow("r")];
    await expect(one.next()).rejects.toThrow("unreadable");
    await expect(two.next()).rejects.toThrow("unreadable");
    broken = false;
    expect(seqs(await drain(feeds.follow("r"), 1))).toEqual([1]);
  });
});

/** A piece, and the room of a stream before it asks to wait. */
const WAITING = 2 * 64 * 1024;

describe("sendFeed", () => {
  it("reads the store once for a thousand clients, and keeps no more than its bound", async () => {
    const { store, reads, record } = await recordedRun();
    const maxBytes = 256 * 1024;
    const feeds = createRunFeeds({ store, clean: plain, maxBytes });
    const clients = Array.from({ length: 1000 }, (_, index) => {
      let lines = 0;
      // Half of them read; the others never take what is written to them.
      const sink = new Writable({
        write: (data: Buffer, _encoding, done) => {
          if (index % 2 === 1) return;
          for (const byte of data) if (byte === 10) lines += 1;
          done();
        },
      });
      const sending = sendFeed(sink, feeds.follow("r"));
      return { index, sink, sending, lines: () => lines };
    });
    for (let round = 1; round <= 6; round += 1) {
      await record(100);
      await settled();
      expect(feeds.size().bytes).toBeLessThanOrEqual(maxBytes);
      for (const { lines, index } of clients) if (index % 2 === 0) expect(lines()).toBe(1 + round * 100);
    }
    for (const { sink } of clients) expect(sink.writableLength).toBeLessThanOrEqual(WAITING);
    expect(reads).toMatchObject({ tail: 1, left: 0 });
    expect(reads.read).toBeLessThan(5);
    for (const { sink } of clients) sink.destroy();
    await Promise.all(clients.map(({ sending }) => sending));
    expect(feeds.size()).toEqual({ bytes: 0, runs: 0 });
    expect(reads.left).toBe(1);
  });

  it("leaves no more than a piece waiting for a side that does not read", async () => {
    const { store, record } = await recordedRun();
    await record(1000);
    const feeds = createRunFeeds({ store, clean: plain });
    const stuck = new Writable({ write: () => undefined });
    const sending = sendFeed(stuck, feeds.follow("r"));
    await settled();
    expect(stuck.writableLength).toBeGreaterThan(0);
    await record(1000);
    await settled();
    expect(stuck.writableLength).toBeLessThanOrEqual(WAITING);
    stuck.destroy();
    await sending;
    expect(feeds.size()).toEqual({ bytes: 0, runs: 0 });
  });

  it("adds no listener for each time it waits", async () => {
    const { store, record } = await recordedRun();
    await record(2000);
    const feeds = createRunFeeds({ store, clean: plain });
    const slow = new Writable({ highWaterMark: 1, write: (_chunk, _encoding, done) => void setImmediate(done) });
    const before = slow.listenerCount("close");
    const sending = sendFeed(slow, feeds.follow("r"));
    await settled();
    expect(slow.listenerCount("close")).toBeLessThanOrEqual(before + 2);
    slow.destroy();
    await sending;
  });

  it("serves many clients, half of which do not read, without a warning", async () => {
    const warnings: string[] = [];
    const warn = (warning: Error): void => void warnings.push(warning.name);
    process.on("warning", warn);
    const { store, record } = await recordedRun();
    const feeds: RunFeeds = createRunFeeds({ store, clean: plain });
    const server = createServer((_request, response) => void sendFeed(response, feeds.follow("r")));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const connect = (): Promise<IncomingMessage> =>
      new Promise((resolve, reject) => get({ port, host: "127.0.0.1", agent: false }, resolve).on("error", reject));
    const responses = await Promise.all(Array.from({ length: 40 }, connect));
    const seen = responses.filter((_, index) => index % 2 === 0).map((response) => ({ response, lines: 0 }));
    const done = seen.map(
      (reader) =>
        new Promise<void>((resolve) =>
          reader.response.on("data", (data: Buffer) => {
            reader.lines += data.toString().split("\n").length - 1;
            if (reader.lines === 401) resolve();
          }),
        ),
    );
    for (let round = 0; round < 40; round += 1) await record(10, 20_000);
    await Promise.all(done);
    for (const response of responses) response.destroy();
    await new Promise<void>((resolve) => {
      server.closeAllConnections();
      server.close(() => resolve());
    });
    while (feeds.size().runs > 0) await breathe();
    process.off("warning", warn);
    expect(warnings).toEqual([]);
    expect(feeds.size()).toEqual({ bytes: 0, runs: 0 });
  });
});
