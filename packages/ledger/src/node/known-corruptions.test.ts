// What is known to happen to the logs of coding agents on people's machines, each as a case with a name.
import { createRun, isPhasekitError, type RunEvent } from "@phasekit/core";
import { describe, expect, it } from "vitest";
import { storeRun, resumeRun } from "../store-run.ts";
import { readRun } from "../run-store.ts";
import { summarizeRun } from "../summarize-run.ts";
import { knownEvent, knownEvents, seeded } from "./__fixtures__/known-log.ts";
import { memoryFiles, type MemoryFiles } from "./__fixtures__/memory-files.ts";
import { createFileStore, type FileStore } from "./file-store.ts";
import { createFollower } from "./follow-log.ts";
import type { Processes } from "./process-identity.ts";
import { runFolder } from "./run-folder.ts";

const ROOT = "/disk/runs";
const RUN = "r1";
const LAST = 12;
const gone: Processes = {
  self: () => ({ pid: 1, start: "", boot: "", host: "", space: "", nonce: "n" }),
  isGone: () => true,
};
const open = (files: MemoryFiles): FileStore => createFileStore(ROOT, { files, processes: gone, clock: () => 1 });
const segment = (files: MemoryFiles): string => files.paths().find((path) => path.endsWith(".jsonl")) ?? "";

/** Twelve events in four flushes: closed as it should be, or as a process leaves it that is killed after the first. */
async function logOf(ended: "closed" | "killed"): Promise<MemoryFiles> {
  const disk = memoryFiles();
  const store = open(disk);
  for (let at = 0; at < LAST; at += 3)
    await store.append(RUN, knownEvents(RUN, { first: at + 1, last: at + 3 }), { after: at });
  if (ended === "closed") await store.close();
  return ended === "closed" ? disk : disk.copy();
}

async function readUntilDamage(
  files: MemoryFiles,
): Promise<{ readonly events: readonly RunEvent[]; readonly error: unknown }> {
  const events: RunEvent[] = [];
  try {
    for await (const batch of open(files).read(RUN)) events.push(...batch);
    return { events, error: undefined };
  } catch (error) {
    return { events, error };
  }
}

function followUntilDamage(files: MemoryFiles): readonly RunEvent[] {
  const follower = createFollower({ files, folder: runFolder(ROOT, RUN), run: RUN, after: 0 });
  const events: RunEvent[] = [];
  try {
    for (let next = follower.next(); next !== undefined && next !== "gone"; next = follower.next())
      events.push(...next);
  } catch (error) {
    expect(isPhasekitError(error, "STORE_DAMAGED")).toBe(true);
  }
  return events;
}

const withLines =
  (change: (lines: string[]) => readonly string[]) =>
  (bytes: Buffer): Buffer =>
    Buffer.from(change(bytes.toString("latin1").split("\n")).join("\n"), "latin1");
/** The place of the n-th event in the lines of the file. */
const lineOf = (lines: readonly string[], seq: number): number =>
  lines.findIndex((line) => line.startsWith('{"type"') && line.includes(`"seq":${String(seq)},`));
const zeros =
  (from: number, to: number) =>
  (bytes: Buffer): Buffer =>
    Buffer.from(bytes).fill(0, Math.floor(bytes.length * from), Math.floor(bytes.length * to));

interface Corruption {
  readonly name: string;
  readonly damage: (bytes: Buffer) => Buffer;
  /** Events that can be read in order; the same for a log that was closed and for one that was killed. */
  readonly left: number;
  /** The last event in the list of runs, where salvage can say more than strict reading. */
  readonly listed?: number;
}

/** Bytes that were on the disk have changed, so that it is damage whatever came first. */
const corruptions: readonly Corruption[] = [
  {
    name: "a record cut in its middle, the next one on the same line",
    left: 3,
    damage: withLines((lines) => {
      const at = lineOf(lines, 5);
      return lines.toSpliced(at, 2, (lines[at] ?? "").slice(0, 40) + (lines[at + 1] ?? ""));
    }),
  },
  {
    name: "a missing line end between two records",
    left: 6,
    damage: withLines((lines) => {
      const at = lineOf(lines, 8);
      return lines.toSpliced(at, 2, (lines[at] ?? "") + (lines[at + 1] ?? ""));
    }),
  },
  {
    name: "a missing line end in front of a commit line",
    left: 6,
    damage: withLines((lines) => {
      const at = lineOf(lines, 9);
      return lines.toSpliced(at, 2, (lines[at] ?? "") + (lines[at + 1] ?? ""));
    }),
  },
  { name: "NULs over the header, which holds no event", left: 0, listed: LAST, damage: zeros(0, 0.02) },
  {
    name: "NULs in the middle, good lines behind them",
    left: 6,
    damage: withLines((lines) => {
      const at = lineOf(lines, 7);
      return lines.with(at, "\0".repeat(lines[at]?.length ?? 0));
    }),
  },
  { name: "NULs at the end", left: 9, damage: zeros(0.97, 1) },
  { name: "the last line cut", left: 9, damage: (bytes) => bytes.subarray(0, bytes.length - 12) },
  { name: "the last line without its end", left: 9, damage: (bytes) => bytes.subarray(0, bytes.length - 1) },
  { name: "an empty line", left: 3, damage: withLines((lines) => lines.toSpliced(lineOf(lines, 5), 0, "")) },
  {
    name: "valid JSON of another shape in place of an event",
    left: 6,
    damage: withLines((lines) => lines.with(lineOf(lines, 8), '{"messages":[]}')),
  },
  {
    name: "an array in place of an event",
    left: 6,
    damage: withLines((lines) => lines.with(lineOf(lines, 8), "[1,2,3]")),
  },
  {
    name: "a tool result that was taken out",
    left: 3,
    damage: withLines((lines) => lines.toSpliced(lineOf(lines, 4), 1)),
  },
  {
    name: "an event written a second time",
    left: 9,
    damage: withLines((lines) => {
      const at = lineOf(lines, 11);
      return lines.toSpliced(at, 0, lines[at] ?? "");
    }),
  },
  { name: "no header", left: 0, damage: withLines((lines) => lines.slice(1)) },
  { name: "a byte order mark", left: 0, damage: (bytes) => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes]) },
  { name: "line ends of Windows", left: 0, damage: withLines((lines) => lines.map((line) => `${line}\r`)) },
  { name: "a file of zeros", left: 0, damage: (bytes) => Buffer.alloc(bytes.length) },
  { name: "an empty file", left: 0, damage: () => Buffer.alloc(0) },
];

describe.each(corruptions)("$name", ({ damage, left, listed = left }) => {
  it("in a log that was on the disk: every reader says damage and gives the same beginning", async () => {
    const disk = await logOf("closed");
    disk.set(segment(disk), damage(disk.get(segment(disk))));
    const { events, error } = await readUntilDamage(disk);
    expect(isPhasekitError(error, "STORE_DAMAGED")).toBe(true);
    expect(events).toEqual(knownEvents(RUN, { first: 1, last: left }));
    expect(followUntilDamage(disk)).toEqual(events);
    expect(await open(disk).inspect(RUN)).toMatchObject({ integrity: "damaged", durable: LAST });
    expect((await open(disk).list()).map(({ seq }) => seq)).toEqual(listed === 0 ? [] : [listed]);
    // Nobody goes on behind it as if nothing had happened, and the file stays as it is.
    const before = disk.get(segment(disk));
    await expect(open(disk).append(RUN, [knownEvent(RUN, LAST + 1)], { after: LAST })).rejects.toMatchObject({
      code: "STORE_DAMAGED",
    });
    await expect(resumeRun(open(disk), RUN)).rejects.toMatchObject({ code: "STORE_DAMAGED" });
    expect(disk.get(segment(disk)).equals(before)).toBe(true);
  });

  it("in a log that a crash cut off: synced events stay, the rest is set aside, the run continues", async () => {
    const disk = await logOf("killed");
    disk.set(segment(disk), damage(disk.get(segment(disk))));
    // Only the first flush, with the run's header, is known to be on the disk.
    if (left < 3) {
      expect(await open(disk).inspect(RUN)).toMatchObject({ integrity: "damaged" });
      return;
    }
    expect(await open(disk).inspect(RUN)).toMatchObject({ integrity: "torn", end: left });
    const store = open(disk);
    await store.append(RUN, knownEvents(RUN, { first: left + 1, last: left + 2 }), { after: left });
    await store.close();
    expect(await readRun(open(disk), RUN)).toEqual(knownEvents(RUN, { first: 1, last: left + 2 }));
    expect(await open(disk).inspect(RUN)).toMatchObject({
      integrity: "whole",
      recovered: [{ segment: "0001-0001.jsonl" }],
    });
    expect(disk.paths().some((path) => path.includes("/quarantine/"))).toBe(true);
  });
});

describe("the mark of what is on the disk", () => {
  const MARK = "0001-0001.jsonl.durable";
  it.each<{ readonly name: string; readonly damage: (bytes: Buffer) => Buffer | undefined }>([
    { name: "missing", damage: () => undefined },
    { name: "empty", damage: () => Buffer.alloc(0) },
    { name: "zeros", damage: (bytes) => Buffer.alloc(bytes.length) },
    { name: "cut", damage: (bytes) => bytes.subarray(0, 30) },
    { name: "of another file", damage: () => Buffer.from('{"w":999,"b":99999,"c":1}'.padEnd(63) + "\n") },
    {
      name: "with a higher number and the old checksum",
      damage: (bytes) => Buffer.from(bytes.toString("latin1").replace(/"w":\d+/, '"w":99'), "latin1"),
    },
    { name: "text", damage: () => Buffer.from("not a mark\n".repeat(20)) },
    { name: "a megabyte", damage: () => Buffer.alloc(1_000_000, 0x41) },
  ])("$name: the store loses and refuses nothing", async ({ damage }) => {
    const disk = await logOf("closed");
    const path = disk.paths().find((candidate) => candidate.endsWith(MARK)) ?? "";
    const bytes = damage(disk.get(path));
    if (bytes === undefined) disk.remove(path);
    else disk.set(path, bytes);
    expect(await readRun(open(disk), RUN)).toEqual(knownEvents(RUN, { first: 1, last: LAST }));
    expect(await open(disk).inspect(RUN)).toMatchObject({ integrity: "whole", end: LAST });
    const store = open(disk);
    await store.append(RUN, [knownEvent(RUN, LAST + 1)], { after: LAST });
    await store.close();
    expect((await readRun(open(disk), RUN)).length).toBe(LAST + 1);
  });

  it("survives every single flipped bit: one of its two halves is always good", async () => {
    const disk = await logOf("closed");
    const path = disk.paths().find((candidate) => candidate.endsWith(MARK)) ?? "";
    const log = disk.get(segment(disk));
    const bytes = disk.get(path);
    const cut = log.subarray(0, log.length - 12);
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const damaged = disk.copy();
      const copy = Buffer.from(bytes);
      copy[bit >> 3] = (copy[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      damaged.set(path, copy);
      expect((await open(damaged).inspect(RUN)).integrity, `bit ${String(bit)}`).toBe("whole");
      // With a cut log it must not call whole what the good half knows to be gone; the older half may know less.
      damaged.set(segment(damaged), cut);
      expect((await open(damaged).inspect(RUN)).integrity, `bit ${String(bit)}`).not.toBe("whole");
    }
  });
});

describe("other known accidents", () => {
  it("hundreds of good lines behind a bad one are not an empty conversation", async () => {
    const disk = memoryFiles();
    const store = open(disk);
    const last = 1500;
    for (let at = 0; at < last; at += 10)
      await store.append(RUN, knownEvents(RUN, { first: at + 1, last: at + 10, size: 1000 }), { after: at });
    await store.close();
    const bytes = disk.get(segment(disk));
    bytes[4000] = (bytes[4000] ?? 0) ^ 1;
    disk.set(segment(disk), bytes);
    const seen: number[] = [];
    let gaps = 0;
    for await (const part of open(disk).salvage(RUN)) {
      if ("gap" in part) gaps += 1;
      else seen.push(...part.events.map(({ seq }) => seq));
    }
    expect(gaps).toBe(1);
    expect(seen.length).toBeGreaterThan(last / 2);
    expect(seen.at(-1)).toBe(last);
    expect((await open(disk).list()).length).toBe(1);
  });

  it("the next attempt reports a tool call without a result, and continues", async () => {
    const disk = memoryFiles();
    const run = createRun({ id: RUN });
    const stored = storeRun(run, open(disk));
    run.beforeTurn();
    const { call } = run.beforeTool({ tool: "Bash", input: { command: "make" } });
    await stored.flush();
    const crashed = disk.copy();
    const resumed = await resumeRun(open(crashed), RUN);
    expect(resumed.run.record({ type: "turn.started" })).toBe(true);
    await resumed.stored.close();
    const summary = summarizeRun(await readRun(open(crashed), RUN));
    expect(summary.phases.find(({ attempt }) => attempt === 2)?.resumability).toMatchObject({
      available: true,
      lostCalls: [`Bash (${call})`],
    });
  });

  it("a battery that dies after the first tool call leaves the run behind", async () => {
    for (let seed = 1; seed <= 50; seed += 1) {
      const disk = memoryFiles();
      const run = createRun({ id: RUN });
      const stored = storeRun(run, open(disk));
      await stored.ready;
      run.beforeTool({ tool: "Bash", input: { command: "make" } });
      await stored.flush();
      const left = disk.powerCut(seeded(seed));
      expect((await readRun(open(left), RUN))[0], `seed ${String(seed)}`).toMatchObject({
        type: "run.started",
        run: RUN,
      });
    }
  });

  it("a line of 300 KiB is a line", async () => {
    const disk = memoryFiles();
    const store = open(disk);
    const large: RunEvent = { ...knownEvent(RUN, 2), output: "x".repeat(300 * 1024) } as RunEvent;
    await store.append(RUN, [knownEvent(RUN, 1), large, knownEvent(RUN, 3)], { after: 0 });
    await store.close();
    expect(await readRun(open(disk), RUN)).toEqual([knownEvent(RUN, 1), large, knownEvent(RUN, 3)]);
  });
});
