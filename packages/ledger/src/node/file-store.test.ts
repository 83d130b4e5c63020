import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { readRun } from "../run-store.ts";
import { describeRunStore } from "../testing/describe-run-store.ts";
import { knownEvent, knownEvents } from "./__fixtures__/known-log.ts";
import { createFileStore, type FileStore } from "./file-store.ts";

const folders: string[] = [];
const folder = (): string => {
  const path = mkdtempSync(join(tmpdir(), "ledger-"));
  folders.push(path);
  return path;
};
afterEach(() => {
  for (const path of folders.splice(0)) rmSync(path, { recursive: true, force: true });
});

for (const level of ["memory", "kernel", "disk", undefined] as const) {
  describeRunStore(
    `file store, level ${level ?? "by step"}`,
    () => createFileStore(join(folder(), "runs"), { pollMs: 5, ...(level !== undefined && { level }) }),
    {
      describe,
      it,
      cleanUp: (store) => (store as FileStore).close(),
    },
  );
}

describe("many appends at the same time", () => {
  it("all settle, also while the log moves to new files", async () => {
    const store = createFileStore(join(folder(), "runs"), {
      segmentBytes: 1000,
      level: (events) => ((events[0]?.seq ?? 0) % 3 === 0 ? "kernel" : "disk"),
    });
    const appends: Promise<void>[] = [];
    for (let seq = 1; seq <= 200; seq += 1) {
      appends.push(store.append("r", [knownEvent("r", seq)], { after: seq - 1 }));
      if (seq % 7 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    await Promise.all(appends);
    await store.close();
    expect(await readRun(store, "r")).toEqual(knownEvents("r", { first: 1, last: 200 }));
    expect((await store.inspect("r")).segments.length).toBeGreaterThan(5);
  });

  it("refuses what comes after it was closed", async () => {
    const store = createFileStore(join(folder(), "runs"));
    await store.close();
    await expect(store.append("r", [knownEvent("r", 1)], { after: 0 })).rejects.toMatchObject({ code: "STORE_CLOSED" });
  });

  it("writes an event that looks like one of its own lines as an event", async () => {
    const store = createFileStore(join(folder(), "runs"));
    const forged = { k: "#", s: 99, n: 1, w: 99, c: 1, ...knownEvent("r", 2) };
    await store.append("r", [knownEvent("r", 1), forged], { after: 0 });
    await store.close();
    expect((await readRun(store, "r"))[1]).toEqual(forged);
    expect((await store.inspect("r")).integrity).toBe("whole");
  });
});

describe("a run without an end", () => {
  it("is running while the process that writes it lives, and was interrupted when it let go", async () => {
    const root = join(folder(), "runs");
    const writer = createFileStore(root);
    await writer.append("r", [knownEvent("r", 1)], { after: 0 });
    const states = async (): Promise<readonly string[]> =>
      (await createFileStore(root).list()).map(({ state }) => state);
    expect(await states()).toEqual(["running"]);
    await writer.close();
    expect(await states()).toEqual(["interrupted"]);
  });

  it("was interrupted if its process is gone, or may be gone", async () => {
    const root = join(folder(), "runs");
    await createFileStore(root).append("r", [knownEvent("r", 1)], { after: 0 });
    const self = { pid: 1, start: "", boot: "", host: "", space: "", nonce: "n" };
    for (const gone of [true, undefined]) {
      const [found] = await createFileStore(root, { processes: { self: () => self, isGone: () => gone } }).list();
      expect(found?.state).toBe("interrupted");
    }
  });
});
