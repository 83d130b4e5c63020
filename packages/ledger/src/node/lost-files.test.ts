// Files that vanish or change places: under a writer, and before a reader.
import { isPhasekitError, type RunEvent } from "@phasekit/core";
import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { knownEvent, knownEvents } from "./__fixtures__/known-log.ts";
import { createFileStore, type FileStore } from "./file-store.ts";
import { nodeProcesses, type Owner } from "./process-identity.ts";
import { folderName } from "./run-folder.ts";

const made: string[] = [];
function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "ledger-lost-"));
  made.push(path);
  return path;
}
afterEach(() => {
  for (const path of made.splice(0)) rmSync(path, { recursive: true, force: true });
});

const append = (store: FileStore, run: string, ...[first, last = first]: [number, number?]): Promise<void> =>
  store.append(run, knownEvents(run, { first, last }), { after: first - 1 });

async function read(store: FileStore, run: string): Promise<readonly RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const batch of store.read(run)) events.push(...batch);
  return events;
}

/** A finished log of so many events. */
async function write(root: string, run: string, last: number): Promise<void> {
  const store = createFileStore(root, { segmentBytes: 2000 });
  for (let first = 1; first <= last; first += 5) await append(store, run, first, Math.min(last, first + 4));
  await store.close();
}

const LOG = "0001-0001.jsonl";

describe("a log file that under its writer is", () => {
  const attacks: readonly { readonly name: string; readonly attack: (path: string) => void; readonly says: string }[] =
    [
      { name: "removed", attack: unlinkSync, says: "removed or renamed" },
      { name: "renamed", attack: (path) => renameSync(path, `${path}.old`), says: "removed or renamed" },
      { name: "cut", attack: (path) => truncateSync(path, 100), says: "bytes, " },
      { name: "emptied", attack: (path) => truncateSync(path, 0), says: "bytes, " },
      {
        name: "replaced by a copy",
        attack: (path) => {
          renameSync(path, `${path}.old`);
          writeFileSync(path, "another file");
        },
        says: "another file has its name",
      },
      { name: "written to by another", attack: (path) => writeFileSync(path, "more", { flag: "a" }), says: "bytes, " },
      {
        name: "replaced by a link to itself",
        attack: (path) => {
          renameSync(path, `${path}.old`);
          symlinkSync(`${path}.old`, path);
        },
        says: "another file has its name",
      },
    ];

  it.each(attacks)("$name is noticed by the next append of level disk", async ({ attack, says }) => {
    const root = folder();
    const problems: unknown[] = [];
    const store = createFileStore(root, { level: "disk", onError: (problem) => problems.push(problem) });
    await append(store, "r", 1, 3);
    attack(join(root, "r", "log", LOG));
    const failure: unknown = await append(store, "r", 4).catch((error: unknown) => error);
    expect(isPhasekitError(failure, "LOG_LOST") && failure.message).toContain(says);
    expect(problems).toEqual([failure]);
    await expect(append(store, "r", 4)).rejects.toMatchObject({ code: "LOG_LOST" });
    await store.close();
  });

  it.each(attacks)(
    "$name is noticed by an append that begins an attempt, which does not wait for its turn",
    async ({ attack }) => {
      const root = folder();
      const store = createFileStore(root);
      await append(store, "r", 1, 3);
      attack(join(root, "r", "log", LOG));
      const resumed = { type: "run.resumed", seq: 4, at: 2000, attempt: 2 } as unknown as RunEvent;
      await expect(store.append("r", [resumed], { after: 3 })).rejects.toMatchObject({ code: "LOG_LOST" });
      await store.close();
    },
  );

  it.each(attacks)("$name is noticed at level kernel within 64 appends", async ({ attack }) => {
    const root = folder();
    const store = createFileStore(root, { level: "kernel" });
    await append(store, "r", 1, 3);
    attack(join(root, "r", "log", LOG));
    let acknowledged = 0;
    let failure: unknown;
    for (let seq = 4; failure === undefined && seq < 200; seq += 1)
      await append(store, "r", seq).then(
        () => (acknowledged += 1),
        (error: unknown) => (failure = error),
      );
    expect(failure).toMatchObject({ code: "LOG_LOST" });
    expect(acknowledged).toBeLessThan(64);
    await store.close();
  });

  it("removed with its folder is immediately a run that was removed", async () => {
    const root = folder();
    const store = createFileStore(root, { level: "disk" });
    await append(store, "r", 1, 3);
    rmSync(join(root, "r"), { recursive: true });
    await expect(append(store, "r", 4)).rejects.toMatchObject({ code: "RUN_REMOVED" });
    await store.close();
  });
});

describe("a run whose", () => {
  const exchanged = async (root: string, exchange: () => void): Promise<void> => {
    await write(root, "a", 12);
    await write(root, "b", 7);
    exchange();
  };
  const swap = (first: string, second: string): void => {
    renameSync(first, `${first}.x`);
    renameSync(second, first);
    renameSync(`${first}.x`, second);
  };

  async function expectDamaged(root: string, run: string): Promise<void> {
    const problems: unknown[] = [];
    const store = createFileStore(root, { onError: (problem) => problems.push(problem) });
    expect((await store.inspect(run)).integrity).toBe("damaged");
    await expect(read(store, run)).rejects.toMatchObject({ code: "STORE_DAMAGED" });
    await expect(append(store, run, 1)).rejects.toMatchObject({ code: "STORE_DAMAGED" });
    expect((await store.list()).map((summary) => summary.run)).not.toContain(run);
    expect(problems).toContainEqual(expect.objectContaining({ code: "STORE_DAMAGED" }));
    await store.close();
  }

  it("log and mark are both gone is damaged, and nothing is written over it", async () => {
    const root = folder();
    await write(root, "a", 12);
    for (const name of readdirSync(join(root, "a", "log"))) unlinkSync(join(root, "a", "log", name));
    await expectDamaged(root, "a");
  });

  it("log folder is gone is damaged", async () => {
    const root = folder();
    await write(root, "a", 3);
    rmSync(join(root, "a", "log"), { recursive: true });
    await expectDamaged(root, "a");
  });

  it("newest file and its mark are gone is damaged, and the beginning is still read", async () => {
    const root = folder();
    await write(root, "a", 60);
    const last =
      readdirSync(join(root, "a", "log"))
        .filter((name) => name.endsWith(".jsonl"))
        .at(-1) ?? "";
    for (const name of [last, `${last}.durable`]) rmSync(join(root, "a", "log", name), { force: true });
    const store = createFileStore(root);
    const { integrity, end } = await store.inspect("a");
    expect(integrity).toBe("damaged");
    expect(end).toBeGreaterThan(0);
    await expect(append(store, "a", end + 1)).rejects.toMatchObject({ code: "STORE_DAMAGED" });
  });

  it("log and mark were exchanged with those of another run is damaged, and so is the other", async () => {
    const root = folder();
    await exchanged(root, () => {
      for (const name of [LOG, `${LOG}.durable`]) swap(join(root, "a", "log", name), join(root, "b", "log", name));
    });
    await expectDamaged(root, "a");
    await expectDamaged(root, "b");
  });

  it("folders were exchanged with those of another run is damaged, and so is the other", async () => {
    const root = folder();
    await exchanged(root, () => swap(join(root, "a"), join(root, "b")));
    await expectDamaged(root, "a");
    await expectDamaged(root, "b");
  });

  it("log is a second name of another run's is damaged", async () => {
    const root = folder();
    await exchanged(root, () => {
      unlinkSync(join(root, "a", "log", LOG));
      linkSync(join(root, "b", "log", LOG), join(root, "a", "log", LOG));
      rmSync(join(root, "a", "log", `${LOG}.durable`));
    });
    await expectDamaged(root, "a");
  });

  it.each(["", "log", "epochs", "quarantine"])(
    "folder '%s' is a link out of the store is refused by readers and writers",
    async (part) => {
      const root = folder();
      const outside = folder();
      await write(root, "a", 3);
      const path = join(root, "a", part);
      rmSync(path, { recursive: true, force: true });
      mkdirSync(join(outside, "x"));
      symlinkSync(join(outside, "x"), path);
      const store = createFileStore(root);
      await expect(read(store, "a")).rejects.toMatchObject({ code: "UNSAFE_DIRECTORY" });
      await expect(append(store, "a", 4)).rejects.toMatchObject({ code: "UNSAFE_DIRECTORY" });
      await expect(store.remove("a")).rejects.toMatchObject({ code: "UNSAFE_DIRECTORY" });
      expect(readdirSync(join(outside, "x"))).toEqual([]);
    },
  );
});

describe("ids of runs", () => {
  const hostile = [
    "../x",
    "..\\..\\x",
    "CON",
    "con.txt",
    "NUL",
    "LPT1",
    "x".repeat(10_240),
    "é\u0301\u{1f600}\u202e",
    "a\0b",
    "trailing...",
    "trailing ",
    ".hidden",
    ".removed-00000000-0000-0000-0000-000000000000",
    "~a-b",
    "Run",
    "run",
    "RUN",
    "\ud800",
    "%2e%2e/%2e%2e",
    "a:stream",
    "-rf",
    "__proto__",
  ];

  it("that are hostile stay inside the store, apart from each other, and come back as they were", async () => {
    const base = folder();
    const root = join(base, "runs");
    const store = createFileStore(root);
    for (const run of hostile) await append(store, run, 1, 2);
    await expect(append(store, "", 1, 2)).rejects.toMatchObject({ code: "INVALID_APPEND" });
    await store.close();
    expect(readdirSync(base)).toEqual(["runs"]);
    const names = readdirSync(root);
    expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(hostile.length);
    expect(names.every((name) => name.length <= 64)).toBe(true);
    const again = createFileStore(root);
    for (const run of hostile) expect((await read(again, run)).length, JSON.stringify(run.slice(0, 30))).toBe(2);
    expect(new Set((await again.list()).map(({ run }) => run)).size).toBe(hostile.length);
    for (const run of hostile) await again.remove(run);
    expect(readdirSync(root)).toEqual([]);
  });

  it("get a folder of the same name every time", () => {
    for (const run of hostile) expect(folderName(run)).toBe(folderName(run));
  });
});

describe("who holds a run", () => {
  const owner = (change: Partial<Owner>): Owner => ({ ...nodeProcesses().self(), ...change });

  it.runIf(process.platform === "linux")("differs from a process that got its number later, by its start time", () => {
    const { isGone } = nodeProcesses();
    expect(isGone(owner({}))).toBe(false);
    expect(isGone(owner({ start: "1" }))).toBe(true);
    expect(isGone(owner({ boot: "another" }))).toBe(true);
    // Process 1 lives as long as the machine; with another start it is somebody else.
    expect(isGone(owner({ pid: 1, start: "99999999" }))).toBe(true);
    expect(isGone(owner({ host: "elsewhere", start: "1" }))).toBeUndefined();
  });

  it.runIf(process.platform === "linux")("whose number was given away does not keep a run locked", async () => {
    const root = folder();
    const dead = createFileStore(root, { processes: { ...nodeProcesses(), self: () => owner({ start: "1" }) } });
    await append(dead, "r", 1, 3);
    const next = createFileStore(root);
    await append(next, "r", 4);
    expect((await read(next, "r")).length).toBe(4);
    await next.close();
  });
});

describe("a clock that runs backwards", () => {
  it("between appends, locks and lists loses nothing and hides nothing", async () => {
    const root = folder();
    let now = 2_000_000_000_000;
    const clock = (): number => (now -= 86_400_000);
    for (let attempt = 0; attempt < 5; attempt += 1) {
      const store = createFileStore(root, { clock, level: attempt % 2 === 0 ? "disk" : "kernel" });
      const from = attempt * 3 + 1;
      await append(store, "r", from, from + 2);
      expect((await store.list()).map(({ run, seq }) => [run, seq])).toEqual([["r", from + 2]]);
      await store.close();
    }
    const store = createFileStore(root, { clock });
    expect((await store.inspect("r")).integrity).toBe("whole");
    expect(await read(store, "r")).toEqual(knownEvents("r", { first: 1, last: 15 }));
    expect(knownEvent("r", 15).seq).toBe(15);
  });

  it("does not hide that the folder was removed", async () => {
    const root = folder();
    const store = createFileStore(root, { clock: () => 0, level: "disk" });
    await append(store, "r", 1);
    rmSync(join(root, "r"), { recursive: true });
    await expect(append(store, "r", 2)).rejects.toMatchObject({ code: "RUN_REMOVED" });
  });
});
