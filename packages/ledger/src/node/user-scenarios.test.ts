// What happens to people who use the store, and what they must then be told.
import { createRun, isPhasekitError, type RunEvent } from "@phasekit/core";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { storeRun, resumeRun } from "../store-run.ts";
import { readRun } from "../run-store.ts";
import { type RunSummary, summarizeRun } from "../summarize-run.ts";
import { failingFiles } from "./__fixtures__/failing-files.ts";
import { knownEvent, knownEvents } from "./__fixtures__/known-log.ts";
import { memoryFiles } from "./__fixtures__/memory-files.ts";
import { createFileStore, type FileStore, type FileStoreOptions } from "./file-store.ts";
import { type FileSystem, nodeFileSystem } from "./file-system.ts";
import type { Processes } from "./process-identity.ts";

const folders: string[] = [];
const stores: FileStore[] = [];
const folder = (): string => {
  const path = mkdtempSync(join(tmpdir(), "ledger-user-"));
  folders.push(path);
  return path;
};
const open = (root: string, options: FileStoreOptions = {}): FileStore => {
  const store = createFileStore(root, options);
  stores.push(store);
  return store;
};
afterEach(async () => {
  for (const store of stores.splice(0)) await store.close();
  for (const path of folders.splice(0)) rmSync(path, { recursive: true, force: true });
});

/** Each store is a process of its own that follows the last. */
const oneAfterTheOther: Processes = {
  self: () => ({ pid: 1, start: "", boot: "", host: "", space: "", nonce: String((nonce += 1)) }),
  isGone: () => true,
};
let nonce = 0;

/** A store with a run that was cut off by a crash. */
async function interrupted(store: FileStore, id = "r"): Promise<void> {
  const run = createRun({ id });
  const stored = storeRun(run, store);
  run.beforeTurn();
  run.record({ type: "tool.finished", tool: "Read", outcome: "ok", output: "x" });
  await stored.close();
}

/** Reads fail as they do for somebody without the right to read. */
function forbidden(files: FileSystem, isForbidden: (path: string) => boolean): FileSystem {
  const refuse = <T>(path: string, read: () => T): T => {
    if (isForbidden(path))
      throw Object.assign(new Error(`EACCES: permission denied, open '${path}'`), { code: "EACCES" });
    return read();
  };
  return {
    ...files,
    names: (path) => refuse(path, () => files.names(path)),
    openToRead: (path) => refuse(path, () => files.openToRead(path)),
  };
}

describe("resuming", () => {
  it("two writers of one run: one continues, the other gets an error", async () => {
    const root = folder();
    const first = open(root);
    await interrupted(first);
    await first.close();
    const { run, stored } = await resumeRun(open(root), "r");
    await expect(resumeRun(open(root), "r")).rejects.toMatchObject({
      code: "RUN_LOCKED",
      hint: expect.stringContaining("takeOver") as string,
    });
    run.end({ reason: "done" });
    expect(await stored.close()).toMatchObject({ waiting: 0, dropped: 0 });
    expect(summarizeRun(await readRun(open(root), "r"))).toMatchObject({ attempt: 2, reason: "done" });
  });

  it("two runs through one store: the log follows one, the other gets an error", async () => {
    const store = open(folder());
    await interrupted(store);
    const one = await resumeRun(store, "r");
    const other = await resumeRun(store, "r");
    one.run.record({ type: "tool.finished", tool: "Read", outcome: "ok", output: "one" });
    const status = await one.stored.close();
    expect(status).toMatchObject({ problem: { code: "APPEND_CONFLICT" } });
    expect(status.dropped).toBeGreaterThan(0);
    other.run.end({ reason: "done" });
    expect(await other.stored.close()).toMatchObject({ waiting: 0, dropped: 0 });
    const events = await readRun(store, "r");
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    expect(JSON.stringify(events)).not.toContain('"one"');
  });

  it("a run that ended for good, and one that never was", async () => {
    const store = open(folder());
    const run = createRun({ id: "r" });
    const stored = storeRun(run, store);
    run.end({ reason: "done" });
    await stored.close();
    await expect(resumeRun(store, "r")).rejects.toMatchObject({
      code: "NOT_RESUMABLE",
      message: 'Run "r" ended with "done" and is not resumed as it is.',
    });
    await expect(resumeRun(store, "other")).rejects.toMatchObject({ code: "UNKNOWN_RUN" });
    expect(await store.list()).toHaveLength(1);
  });

  it("on a full disk fails with a reason, changes nothing, and works when there is room", async () => {
    const disk = memoryFiles();
    const before = open("/disk/runs", { files: disk, processes: oneAfterTheOther });
    await interrupted(before);
    await before.close();
    const stored = await readRun(before, "r");
    let refused = 0;
    for (let at = 1; at < 60; at += 1) {
      const copy = disk.copy();
      const { files, heal } = failingFiles(copy, { at, code: "ENOSPC", persistent: true }, { reads: false });
      const store = open("/disk/runs", { files, processes: oneAfterTheOther });
      const resumed = await resumeRun(store, "r").catch((error: unknown) => error);
      if (resumed instanceof Error) {
        refused += 1;
        expect(isPhasekitError(resumed, "STORE_UNAVAILABLE"), `operation ${String(at)}: ${resumed.message}`).toBe(true);
        expect((await readRun(store, "r")).slice(0, stored.length)).toEqual(stored);
      }
      heal();
      await store.close();
      const next = open("/disk/runs", { files: copy, processes: oneAfterTheOther });
      const again = await resumeRun(next, "r");
      again.run.end({ reason: "done" });
      expect(await again.stored.close()).toMatchObject({ waiting: 0, dropped: 0 });
    }
    expect(refused).toBeGreaterThan(5);
  });
});

describe("odd runs", () => {
  it("one that only began, and a folder with nothing in it", async () => {
    const root = folder();
    const store = open(root);
    const stored = storeRun(createRun({ id: "r" }), store);
    await stored.close();
    await store.close();
    mkdirSync(join(root, "empty", "log"), { recursive: true });
    const found = await open(root).list();
    expect(found).toMatchObject([{ run: "r", state: "interrupted" }]);
    expect(await readRun(open(root), "empty")).toEqual([]);
    await expect(resumeRun(open(root), "empty")).rejects.toMatchObject({ code: "UNKNOWN_RUN" });
  });

  it("a clock that goes backwards: order and times stay right", async () => {
    const store = open(folder(), { clock: () => 0 });
    let now = 1_700_000_000_000;
    const run = createRun({ id: "r", clock: () => (now -= 60_000) });
    const stored = storeRun(run, store);
    for (let turn = 0; turn < 5; turn += 1) {
      run.beforeTurn();
      run.record({ type: "tool.finished", tool: "Read", outcome: "ok", output: "x" });
    }
    run.end({ reason: "done" });
    await stored.close();
    const events = await readRun(store, "r");
    expect(events.every(({ at }, index) => index === 0 || at >= (events[index - 1]?.at ?? 0))).toBe(true);
    const { phases } = summarizeRun(events);
    expect(phases.every(({ elapsed }) => elapsed >= 0)).toBe(true);
  });

  it("an event of a hundred megabytes is refused with its size; the log continues", async () => {
    const store = open(folder());
    await store.append("r", knownEvents("r", { first: 1, last: 2 }), { after: 0 });
    const huge = { ...knownEvent("r", 3), output: "x".repeat(100 * 1024 * 1024) } as RunEvent;
    await expect(store.append("r", [huge], { after: 2 })).rejects.toMatchObject({
      code: "INVALID_APPEND",
      message: expect.stringMatching(/104857\d+ characters of at most 67108864/) as string,
    });
    await store.append("r", [knownEvent("r", 3)], { after: 2 });
    expect(await readRun(store, "r")).toEqual(knownEvents("r", { first: 1, last: 3 }));
  });

  it.each<{ readonly name: string; readonly value: unknown }>([
    { name: "a number without end", value: 10n },
    {
      name: "a circle",
      value: (() => {
        const circle: unknown[] = [];
        circle.push(circle);
        return circle;
      })(),
    },
    {
      name: "a getter that throws",
      value: {
        get x() {
          throw new Error("no");
        },
      },
    },
  ])("an event with $name is refused with a code; the log goes on", async ({ value }) => {
    const store = open(folder());
    await store.append("r", [knownEvent("r", 1)], { after: 0 });
    await expect(
      store.append("r", [{ ...knownEvent("r", 2), input: value } as RunEvent], { after: 1 }),
    ).rejects.toMatchObject({ code: "INVALID_APPEND" });
    await store.append("r", [knownEvent("r", 2)], { after: 1 });
    expect(await readRun(store, "r")).toEqual(knownEvents("r", { first: 1, last: 2 }));
  });

  it("an `onError` that throws breaks neither the log nor the agent", async () => {
    const { files } = failingFiles(memoryFiles(), { at: 22, code: "EIO", persistent: false }, { reads: false });
    const store = open("/disk/runs", {
      files,
      processes: oneAfterTheOther,
      onError: () => {
        throw new Error("no");
      },
    });
    for (let seq = 1; seq <= 20; seq += 1) await store.append("r", [knownEvent("r", seq)], { after: seq - 1 });
    expect(await readRun(store, "r")).toEqual(knownEvents("r", { first: 1, last: 20 }));
  });
});

describe("a folder", () => {
  it("that is deleted while a run is written: the writer gets an error, and the agent continues", async () => {
    const root = folder();
    const problems: unknown[] = [];
    let now = 1000;
    const store = open(root, { level: "disk", clock: () => now });
    const run = createRun({ id: "r" });
    const stored = storeRun(run, store, { onError: (problem) => problems.push(problem) });
    await stored.ready;
    rmSync(join(root, "r"), { recursive: true });
    now += 1000;
    run.beforeTurn();
    await stored.flush();
    expect(problems).toMatchObject([
      { code: "RUN_REMOVED", message: 'The folder of run "r" was removed while the run was being written.' },
    ]);
    expect(run.record({ type: "tool.finished", tool: "Read", outcome: "ok" })).toBe(true);
    expect((await stored.close()).dropped).toBeGreaterThan(0);
  });

  it.each([
    {
      name: "a folder on another machine is reported once, and written to",
      isRemote: () => true,
      told: ["REMOTE_FOLDER"],
    },
    { name: "on this machine is not", isRemote: () => false, told: [] },
    {
      name: "of which nobody can tell is not",
      isRemote: () => {
        throw new Error("ENOSYS");
      },
      told: [],
    },
  ])("$name", async ({ isRemote, told }) => {
    const problems: unknown[] = [];
    const store = open("/disk/runs", {
      files: { ...memoryFiles(), isRemote },
      processes: oneAfterTheOther,
      onError: (problem) => problems.push(problem),
    });
    for (const run of ["a", "b"]) await store.append(run, [knownEvent(run, 1)], { after: 0 });
    expect(problems.map((problem) => (problem as { readonly code: string }).code)).toEqual(told);
    expect(await readRun(store, "b")).toHaveLength(1);
  });

  it("with other things in it is listed all the same", async () => {
    const root = folder();
    const store = open(root);
    await store.append("r", [knownEvent("r", 1)], { after: 0 });
    writeFileSync(join(root, "notes.txt"), "mine");
    writeFileSync(join(root, ".gitignore"), "*");
    mkdirSync(join(root, "photos"));
    symlinkSync(join(root, "notes.txt"), join(root, "link"));
    symlinkSync(join(root, "nowhere"), join(root, "broken"));
    expect((await store.list()).map(({ run }) => run)).toEqual(["r"]);
  });

  it("that cannot be read says so; one run that cannot be read does not hide the others", async () => {
    const root = folder();
    const store = open(root);
    for (const run of ["a", "b"]) await store.append(run, [knownEvent(run, 1)], { after: 0 });
    await store.close();
    const problems: unknown[] = [];
    const partly = open(root, {
      files: forbidden(nodeFileSystem(), (path) => path.startsWith(join(root, "a"))),
      onError: (problem) => problems.push(problem),
    });
    expect((await partly.list()).map(({ run }) => run)).toEqual(["b"]);
    expect(problems).toMatchObject([
      { code: "STORE_UNREADABLE", hint: expect.stringContaining("read access") as string },
    ]);
    await expect(readRun(partly, "a")).rejects.toMatchObject({ code: "STORE_UNREADABLE" });
    await expect(
      open(root, { files: forbidden(nodeFileSystem(), (path) => path === root) }).list(),
    ).rejects.toMatchObject({ code: "STORE_UNREADABLE" });
    writeFileSync(join(root, "file"), "");
    await expect(open(join(root, "file")).list()).rejects.toMatchObject({ code: "STORE_UNREADABLE" });
  });

  it("that may only be read is listed and read, and each log is gone through once", async () => {
    const root = folder();
    const writer = open(root);
    for (const id of ["a", "b"]) {
      const run = createRun({ id });
      const stored = storeRun(run, writer);
      run.end({ reason: "done" });
      await stored.close();
    }
    await writer.close();
    for (const name of readdirSync(root, { recursive: true, encoding: "utf8" }))
      chmodSync(join(root, name), name.includes(".") ? 0o400 : 0o500);
    let opened = 0;
    const files = nodeFileSystem();
    const refuse = (): never => {
      throw Object.assign(new Error("EROFS: read-only file system"), { code: "EROFS" });
    };
    const readOnly: FileSystem = {
      ...files,
      create: refuse,
      write: refuse,
      rename: refuse,
      remove: refuse,
      link: refuse,
      makeFolder: refuse,
      sync: refuse,
      syncFolder: refuse,
      openToRead: (path) => {
        opened += 1;
        return files.openToRead(path);
      },
    };
    const store = open(root, { files: readOnly });
    expect((await store.list()).map(({ run, state }) => [run, state])).toEqual([
      ["b", "success"],
      ["a", "success"],
    ]);
    const first = opened;
    opened = 0;
    expect(await store.list()).toHaveLength(2);
    expect(opened).toBeLessThan(first);
    expect((await readRun(store, "a")).length).toBeGreaterThan(0);
    expect(readdirSync(join(root, "a"))).toEqual(["epochs", "log"]);
    for (const name of readdirSync(root, { recursive: true, encoding: "utf8" }))
      if (!name.includes(".")) chmodSync(join(root, name), 0o700);
  });

  it("is listed by what its logs say: an old, forged, foreign or broken summary is not believed", async () => {
    const root = folder();
    const writer = open(root);
    for (const id of ["a", "b"]) {
      const run = createRun({ id });
      const stored = storeRun(run, writer);
      run.end({ reason: "done" });
      await stored.close();
    }
    await writer.close();
    const listed = await open(root).list();
    const path = (run: string): string => join(root, run, "summary.json");
    const ofA = readFileSync(path("a"), "utf8");
    const { state, summary } = JSON.parse(ofA) as { readonly state: string; readonly summary: RunSummary };
    const forged = (entry: object): string => JSON.stringify({ state, ...entry });
    for (const wrong of [
      readFileSync(path("b"), "utf8"),
      ofA.replace(/"state":"[^"]*"/, '"state":"0001-0001.jsonl:1"').replaceAll('"done"', '"unknown"'),
      ofA.slice(0, 100),
      "null",
      "\0".repeat(500),
      forged({ summary: null }),
      forged({ summary: { ...summary, phases: [null] } }),
      forged({ summary: { ...summary, phases: [{ ...summary.phases[0], aggregates: {} }] } }),
      forged({ summary: { ...summary, state: "splendid" } }),
      forged({ summary: { ...summary, updatedAt: "now" } }),
      forged({ summary: { ...summary, startedAt: 1e300 } }),
      forged({ summary: { run: "a" } }),
    ]) {
      writeFileSync(path("a"), wrong);
      expect(await open(root).list()).toEqual(listed);
      expect(readFileSync(path("a"), "utf8")).toBe(ofA);
    }
    // Nothing is left of drafts.
    expect(readdirSync(join(root, "a"))).toEqual(["epochs", "log", "summary.json"]);
  });

  it("with hundreds of runs lets others work while it is listed", async () => {
    const disk = memoryFiles();
    const store = open("/disk/runs", { files: disk, processes: oneAfterTheOther, level: "kernel" });
    for (let run = 0; run < 200; run += 1)
      await store.append(`r${String(run)}`, [knownEvent(`r${String(run)}`, 1)], { after: 0 });
    let turns = 0;
    const count = setInterval(() => {
      turns += 1;
    }, 0);
    expect(await store.list({ limit: 1000 })).toHaveLength(200);
    clearInterval(count);
    expect(turns).toBeGreaterThan(0);
  });
});
