import type { RunEvent } from "@phasekit/core";
import { describe, expect, it } from "vitest";
import { knownEvents } from "./__fixtures__/known-log.ts";
import { memoryFiles } from "./__fixtures__/memory-files.ts";
import { createFileStore } from "./file-store.ts";
import { createFollower } from "./follow-log.ts";
import type { Processes } from "./process-identity.ts";
import { runFolder } from "./run-folder.ts";

const ROOT = "/disk/runs";
const RUN = "r1";
const gone: Processes = {
  self: () => ({ pid: 1, start: "", boot: "", host: "", space: "", nonce: "n" }),
  isGone: () => true,
};

function setUp(segmentBytes = 1_000_000) {
  const disk = memoryFiles();
  let bytesRead = 0;
  const counted = {
    ...disk,
    read: (file: number, into: Uint8Array, position: number) => {
      const count = disk.read(file, into, position);
      bytesRead += count;
      return count;
    },
  };
  const store = createFileStore(ROOT, { files: disk, processes: gone, clock: () => 1, segmentBytes });
  const follower = createFollower({ files: counted, folder: runFolder(ROOT, RUN), run: RUN, after: 0 });
  let end = 0;
  const write = async (count: number): Promise<void> => {
    await store.append(RUN, knownEvents(RUN, { first: end + 1, last: end + count, size: 1000 }), { after: end });
    end += count;
  };
  const drain = (): readonly RunEvent[] => {
    const events: RunEvent[] = [];
    for (;;) {
      const next = follower.next();
      if (next === "gone") throw new Error("gone");
      if (next === undefined) return events;
      events.push(...next);
    }
  };
  const path = (): string =>
    disk
      .paths()
      .filter((name) => name.endsWith(".jsonl"))
      .at(-1) ?? "";
  return { disk, store, follower, write, drain, path, end: () => end, bytesRead: () => bytesRead };
}

describe("following a log", () => {
  it("reads only what is new, however long the log is", async () => {
    const { write, drain, bytesRead } = setUp();
    await write(1000);
    expect(drain().length).toBe(1000);
    const before = bytesRead();
    for (let step = 0; step < 50; step += 1) {
      await write(2);
      expect(drain().map(({ seq }) => seq)).toEqual([1001 + step * 2, 1002 + step * 2]);
    }
    // A hundred events of at most 1,100 bytes and 50 commit lines, once.
    expect(bytesRead() - before).toBeLessThan(100 * 1100 + 50 * 100);
  });

  it("goes over to new files", async () => {
    const { write, drain, end } = setUp(3000);
    const seen: RunEvent[] = [];
    for (let step = 0; step < 40; step += 1) {
      await write(1 + (step % 3));
      if (step % 4 === 3) seen.push(...drain());
    }
    expect(seen).toEqual(knownEvents(RUN, { first: 1, last: end(), size: 1000 }));
  });

  it("waits for the rest of a flush that is half there", async () => {
    const { disk, write, drain, path } = setUp();
    await write(3);
    expect(drain().length).toBe(3);
    await write(2);
    const whole = disk.get(path());
    disk.set(path(), whole.subarray(0, whole.length - 30));
    expect(drain()).toEqual([]);
    disk.set(path(), whole.subarray(0, whole.length - 10));
    expect(drain()).toEqual([]);
    disk.set(path(), whole);
    expect(drain().map(({ seq }) => seq)).toEqual([4, 5]);
  });

  it("tells damage as every reader does", async () => {
    const { disk, store, write, drain, path } = setUp();
    await write(3);
    drain();
    await write(3);
    await store.flush();
    const bytes = disk.get(path());
    bytes[bytes.length - 200] = (bytes[bytes.length - 200] ?? 0) ^ 1;
    disk.set(path(), bytes);
    expect(() => drain()).toThrow(expect.objectContaining({ code: "STORE_DAMAGED" }) as Error);
  });

  it("says when the log is gone", async () => {
    const { disk, follower, write } = setUp();
    expect(follower.next()).toBe("gone");
    await write(1);
    expect(follower.next()).toHaveLength(1);
    disk.remove(`${ROOT}/${RUN}`);
    expect(follower.next()).toBe("gone");
  });
});
