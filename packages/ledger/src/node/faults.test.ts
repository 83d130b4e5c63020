import { isPhasekitError } from "@phasekit/core";
import { describe, expect, it } from "vitest";
import { checkDisk } from "./__fixtures__/check-disk.ts";
import { failingFiles, type Failure } from "./__fixtures__/failing-files.ts";
import { knownEvent, knownEvents, seeded } from "./__fixtures__/known-log.ts";
import { memoryFiles } from "./__fixtures__/memory-files.ts";
import { live, openStore as open, readAll, RUN } from "./__fixtures__/scripted-life.ts";
import type { FileSystem } from "./file-system.ts";

describe("a disk that fails", () => {
  it("acknowledges everything when nothing fails", async () => {
    const disk = memoryFiles();
    expect(await live(disk)).toEqual({ acknowledged: 22, attempted: 22, untyped: [] });
    await checkDisk(disk, { acknowledged: 22, attempted: 22 });
    expect(disk.paths().filter((path) => path.endsWith(".jsonl")).length).toBeGreaterThan(3);
  });

  it.each(
    ["ENOSPC", "EIO", "EACCES", "EMFILE", "EROFS", "short"].flatMap((code) => [
      { code, persistent: false },
      { code, persistent: true },
    ]),
  )(
    "loses nothing acknowledged, whichever operation fails with $code (persistent: $persistent)",
    async ({ code, persistent }) => {
      const healthy = failingFiles(memoryFiles(), { at: 0, code, persistent: false });
      await live(healthy.files);
      let failed = 0;
      for (let at = 1; at <= healthy.count(); at += 1) {
        const disk = memoryFiles();
        const failure: Failure = { at, code, persistent };
        const { files, count } = failingFiles(disk, failure);
        const lived = await live(files);
        if (count() < at) continue;
        failed += 1;
        expect(lived.untyped, `operation ${String(at)}`).toEqual([]);
        try {
          await checkDisk(disk, lived);
        } catch (error) {
          throw new Error(`operation ${String(at)} with ${code}`, { cause: error });
        }
      }
      expect(failed).toBeGreaterThan(60);
    },
    30_000,
  );

  it("says once that the disk is full, and continues when there is room again", async () => {
    const disk = memoryFiles();
    const problems: unknown[] = [];
    const { files, heal } = failingFiles(disk, { at: 40, code: "ENOSPC", persistent: true }, { reads: false });
    const store = open(files, { onError: (problem) => problems.push(problem) });
    let end = 0;
    let refused = 0;
    for (let step = 0; step < 60; step += 1) {
      if (step === 50) heal();
      try {
        await store.append(RUN, [knownEvent(RUN, end + 1)], { after: end });
        end += 1;
      } catch (error) {
        expect(isPhasekitError(error, "STORE_UNAVAILABLE")).toBe(true);
        refused += 1;
      }
    }
    expect(refused).toBeGreaterThan(0);
    expect(end).toBe(60 - refused);
    expect(problems.length).toBeLessThanOrEqual(2);
    await store.close();
    expect(await readAll(disk)).toEqual(knownEvents(RUN, { first: 1, last: end }));
  });

  it("an old sync that answers after a newer one takes nothing back", async () => {
    const disk = memoryFiles();
    const answers: (() => void)[] = [];
    let failing = false;
    const files: FileSystem = {
      ...disk,
      syncLater: (file) =>
        new Promise((resolve) =>
          answers.push(() => {
            disk.sync(file);
            resolve();
          }),
        ),
      write: (file, bytes, position) => {
        if (!failing || position !== undefined) return disk.write(file, bytes, position);
        failing = false;
        throw Object.assign(new Error("EIO"), { code: "EIO" });
      },
    };
    const store = open(files, { level: (events) => (events[0]?.seq === 2 ? "disk" : "kernel") });
    await store.append(RUN, [knownEvent(RUN, 1)], { after: 0 });
    const second = store.append(RUN, [knownEvent(RUN, 2)], { after: 1 });
    await new Promise((resolve) => setImmediate(resolve));
    await store.append(RUN, [knownEvent(RUN, 3)], { after: 2 });
    expect(answers.length).toBe(1);
    store.flushSync();
    await second;
    answers[0]?.();
    await new Promise((resolve) => setImmediate(resolve));
    // The next write fails: the log moves on to a new file from what is on the disk, which is all three.
    failing = true;
    await store.append(RUN, [knownEvent(RUN, 4)], { after: 3 });
    await store.close();
    expect(await readAll(disk)).toEqual(knownEvents(RUN, { first: 1, last: 4 }));
    expect((await open(disk).inspect(RUN)).integrity).toBe("whole");
  });

  it("counts what it promised to keep in memory and could not write", async () => {
    const { files } = failingFiles(memoryFiles(), { at: 40, code: "EIO", persistent: true }, { reads: false });
    const store = open(files, { level: "memory" });
    let end = 0;
    for (let step = 0; step < 60; step += 1) {
      await store.append(RUN, [knownEvent(RUN, end + 1)], { after: end }).then(
        () => (end += 1),
        () => undefined,
      );
      await Promise.resolve();
    }
    expect(store.dropped()).toBeGreaterThan(0);
  });
});

describe("a power cut", () => {
  it("loses nothing that was on the disk, in 300 states", async () => {
    for (let seed = 1; seed <= 60; seed += 1) {
      const random = seeded(seed);
      const disk = memoryFiles();
      const store = open(disk, {
        segmentBytes: 3000,
        level: (events) => ((events[0]?.seq ?? 0) % 4 === 1 ? "disk" : "kernel"),
      });
      let durable = 0;
      let end = 0;
      const steps = 3 + Math.floor(random() * 12);
      for (let step = 0; step < steps; step += 1) {
        const count = 1 + Math.floor(random() * 4);
        await store.append(RUN, knownEvents(RUN, { first: end + 1, last: end + count }), { after: end });
        if (end % 4 === 0) durable = end + count;
        end += count;
      }
      for (let state = 0; state < 5; state += 1) {
        try {
          await checkDisk(disk.powerCut(random), { acknowledged: durable, attempted: end });
        } catch (error) {
          throw new Error(`seed ${String(seed)}, state ${String(state)}`, { cause: error });
        }
      }
    }
  });
});
