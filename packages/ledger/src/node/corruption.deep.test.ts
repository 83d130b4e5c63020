import { isPhasekitError, type RunEvent } from "@phasekit/core";
import { depth } from "@phasekit/tooling/test-depth";
import { describe, expect, it } from "vitest";
import { corruptions } from "./__fixtures__/corrupt.ts";
import { knownEvent, knownEvents, seeded } from "./__fixtures__/known-log.ts";
import { memoryFiles, type MemoryFiles } from "./__fixtures__/memory-files.ts";
import { createFileStore, type FileStore } from "./file-store.ts";
import type { Processes } from "./process-identity.ts";

const ROOT = "/disk/runs";
const RUN = "r1";
/** How many corruptions in all; `pnpm soak:corruptions` sets more. */
const CORRUPTIONS = depth({ quick: 150, full: 1200, long: 100_000 });
const ROUNDS = Math.ceil(CORRUPTIONS / Object.keys(corruptions).length);

const gone: Processes = {
  self: () => ({ pid: 1, start: "", boot: "", host: "", space: "", nonce: "n" }),
  isGone: () => true,
};
const open = (files: MemoryFiles): FileStore =>
  createFileStore(ROOT, { files, processes: gone, clock: () => 1, segmentBytes: 400_000 });

async function logOf({
  last,
  batch,
  size,
}: {
  readonly last: number;
  readonly batch: number;
  readonly size: number;
}): Promise<MemoryFiles> {
  const disk = memoryFiles();
  const store = open(disk);
  for (let at = 0; at < last; at += batch)
    await store.append(RUN, knownEvents(RUN, { first: at + 1, last: Math.min(last, at + batch), size }), { after: at });
  await store.close();
  return disk;
}

async function salvage(disk: MemoryFiles): Promise<readonly RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const part of open(disk).salvage(RUN)) if ("events" in part) events.push(...part.events);
  return events;
}

async function strict(disk: MemoryFiles): Promise<{ readonly events: readonly RunEvent[]; readonly error: unknown }> {
  const events: RunEvent[] = [];
  try {
    for await (const batch of open(disk).read(RUN)) events.push(...batch);
  } catch (error) {
    return { events, error };
  }
  return { events, error: undefined };
}

describe("a log whose bytes went wrong", () => {
  it.each(Object.keys(corruptions))(
    `%s is always seen and never invents an event`,
    { timeout: 1_200_000 + CORRUPTIONS * 10 },
    async (name) => {
      const last = 60;
      const disk = await logOf({ last, batch: 3, size: 200 });
      const known = knownEvents(RUN, { first: 1, last, size: 200 });
      const path = disk.paths().find((candidate) => candidate.endsWith(".jsonl"))!;
      const bytes = disk.get(path);
      for (let seed = 1; seed <= ROUNDS; seed += 1) {
        const changed = corruptions[name]!(bytes, seeded(seed));
        if (changed === undefined || changed.equals(bytes)) continue;
        const damaged = disk.copy();
        damaged.set(path, changed);
        const report = await open(damaged).inspect(RUN);
        const { events, error } = await strict(damaged);
        const context = `seed ${String(seed)}`;
        expect(report.integrity, context).not.toBe("whole");
        // Only bytes that came behind the end are harmless; anything else took something that was on the disk.
        if (report.integrity === "torn") expect(events.length, context).toBe(last);
        else expect(isPhasekitError(error, "STORE_DAMAGED"), context).toBe(true);
        expect(JSON.stringify(events), context).toBe(JSON.stringify(events.map((_, index) => known[index])));
        const left = await salvage(damaged);
        expect(JSON.stringify(left), context).toBe(JSON.stringify(left.map(({ seq }) => known[seq - 1])));
        // Nobody writes on behind damage as if nothing had happened.
        if (report.integrity === "damaged")
          await expect(open(damaged).append(RUN, [knownEvent(RUN, last + 1)], { after: last })).rejects.toThrow();
      }
    },
  );

  it("a flipped bit costs at most one anchor interval", async () => {
    const last = 4000;
    const size = 500;
    const disk = await logOf({ last, batch: 8, size });
    const paths = disk.paths().filter((candidate) => candidate.endsWith(".jsonl"));
    expect(paths.length).toBeGreaterThan(1);
    for (let seed = 1; seed <= 25; seed += 1) {
      const random = seeded(seed);
      const path = paths[Math.floor(random() * paths.length)]!;
      const damaged = disk.copy();
      damaged.set(path, corruptions["a flipped bit"]!(disk.get(path), random)!);
      const left = await salvage(damaged);
      const present = new Set(left.map(({ seq }) => seq));
      const lost = Array.from({ length: last }, (_, index) => index + 1).filter((seq) => !present.has(seq));
      const bytes = lost.reduce((sum, seq) => sum + JSON.stringify(knownEvent(RUN, seq, { size })).length + 1, 0);
      expect(lost.length, `seed ${String(seed)}`).toBeGreaterThan(0);
      // One interval, plus the flush that crosses its border.
      expect(bytes, `seed ${String(seed)}`).toBeLessThan(256 * 1024 + 8 * 1000);
      expect((await open(damaged).inspect(RUN)).damage.length).toBe(1);
    }
  });

  it("a file that is gone is seen", async () => {
    const disk = await logOf({ last: 40, batch: 3, size: 200 });
    disk.remove(disk.paths().find((path) => path.endsWith(".jsonl"))!);
    expect((await open(disk).inspect(RUN)).integrity).toBe("damaged");
    expect(isPhasekitError((await strict(disk)).error, "STORE_DAMAGED")).toBe(true);
  });

  it("an older copy of a file put back is seen", async () => {
    const disk = memoryFiles();
    const store = open(disk);
    await store.append(RUN, knownEvents(RUN, { first: 1, last: 10 }), { after: 0 });
    await store.flush();
    const path = disk.paths().find((candidate) => candidate.endsWith(".jsonl"))!;
    const before = disk.get(path);
    await store.append(RUN, knownEvents(RUN, { first: 11, last: 20 }), { after: 10 });
    await store.close();
    disk.set(path, before);
    expect(await open(disk).inspect(RUN)).toMatchObject({
      integrity: "damaged",
      end: 10,
      durable: 20,
      damage: [{ from: 11, to: 20 }],
    });
  });

  it("a crash at the end is recovered, kept aside and reported", async () => {
    const disk = memoryFiles();
    const store = open(disk);
    await store.append(RUN, knownEvents(RUN, { first: 1, last: 10 }), { after: 0 });
    await store.flush();
    await store.append(RUN, knownEvents(RUN, { first: 11, last: 12 }), { after: 10 });
    const crashed = disk.copy();
    const path = crashed.paths().find((candidate) => candidate.endsWith(".jsonl"))!;
    const whole = crashed.get(path);
    crashed.set(path, whole.subarray(0, whole.length - 20));
    expect(await open(crashed).inspect(RUN)).toMatchObject({
      integrity: "torn",
      end: 10,
      torn: { segment: "0001-0001.jsonl" },
    });

    const next = open(crashed);
    await next.append(RUN, knownEvents(RUN, { first: 11, last: 15 }), { after: 10 });
    await next.close();
    expect((await strict(crashed)).events).toEqual(knownEvents(RUN, { first: 1, last: 15 }));
    const report = await open(crashed).inspect(RUN);
    expect(report).toMatchObject({
      integrity: "whole",
      end: 15,
      forks: [],
      recovered: [{ segment: "0001-0001.jsonl" }],
    });
    // The old file is as the crash left it; what was cut off lies beside it.
    expect(crashed.get(path).equals(whole.subarray(0, whole.length - 20))).toBe(true);
    expect(crashed.paths().filter((candidate) => candidate.includes("/quarantine/")).length).toBe(1);
  });

  it("a writer that lost the run is set aside and reported", async () => {
    const disk = memoryFiles();
    const problems: unknown[] = [];
    const old = createFileStore(ROOT, {
      files: disk,
      processes: gone,
      clock: () => 1,
      onError: (problem) => problems.push(problem),
    });
    await old.append(RUN, knownEvents(RUN, { first: 1, last: 5 }), { after: 0 });
    const next = open(disk);
    await next.append(RUN, knownEvents(RUN, { first: 6, last: 9 }), { after: 5 });
    // The old process wakes up and goes on as if nothing had happened; the disk level tells it.
    await old.append(RUN, [{ ...knownEvent(RUN, 6), tool: "Forged" } as RunEvent], { after: 5 });
    await expect(
      old.append(
        RUN,
        [
          {
            type: "run.finished",
            seq: 7,
            at: 9999,
            reason: "done",
            verified: false,
            phase: "working",
            outcome: "completed",
          },
        ],
        { after: 6 },
      ),
    ).rejects.toMatchObject({ code: "WRITER_SUPERSEDED" });
    await next.append(RUN, knownEvents(RUN, { first: 10, last: 12 }), { after: 9 });
    await next.close();
    expect((await strict(disk)).events).toEqual(knownEvents(RUN, { first: 1, last: 12 }));
    expect((await open(disk).inspect(RUN)).forks).toMatchObject([{ segment: "0001-0001.jsonl" }]);
    expect(problems.length).toBeGreaterThan(0);
  });
});
