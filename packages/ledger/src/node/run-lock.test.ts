import { isPhasekitError } from "@phasekit/core";
import { describe, expect, it } from "vitest";
import { memoryFiles } from "./__fixtures__/memory-files.ts";
import { knownEvent } from "./__fixtures__/known-log.ts";
import { createFileStore } from "./file-store.ts";
import type { FileSystem } from "./file-system.ts";
import type { Processes } from "./process-identity.ts";

const ROOT = "/disk/runs";
const RUN = "r1";

/** A process by name; those that are in `gone` are dead. */
const processOf = (name: string, gone: ReadonlySet<string>): Processes => ({
  self: () => ({ pid: 1, start: "", boot: "", host: name, space: "", nonce: `${name}-${String((counter += 1))}` }),
  isGone: ({ host }) => gone.has(host),
});
let counter = 0;

describe("who may write a run", () => {
  it("is one process, wherever the other one comes in between", async () => {
    const gone = new Set(["dead"]);
    for (let moment = 1; moment <= 30; moment += 1) {
      const disk = memoryFiles();
      const dead = createFileStore(ROOT, { files: disk, processes: processOf("dead", gone), clock: () => 1 });
      await dead.append(RUN, [knownEvent(RUN, 1)], { after: 0 });

      const quick = createFileStore(ROOT, { files: disk, processes: processOf("quick", gone), clock: () => 1 });
      let quickHolds: Promise<boolean> | undefined;
      let operations = 0;
      // The quick process does all its opening between two operations of the slow one.
      const interrupted = Object.fromEntries(
        Object.entries(disk).map(([name, operation]: [string, (...args: unknown[]) => unknown]) => [
          name,
          (...args: unknown[]) => {
            if (++operations === moment)
              quickHolds = quick.append(RUN, [knownEvent(RUN, 2)], { after: 1 }).then(
                () => true,
                () => false,
              );
            return operation(...args);
          },
        ]),
      ) as unknown as FileSystem;
      const slow = createFileStore(ROOT, { files: interrupted, processes: processOf("slow", gone), clock: () => 1 });
      const slowHolds = await slow.append(RUN, [knownEvent(RUN, 2)], { after: 1 }).then(
        () => true,
        (error: unknown) => {
          expect(isPhasekitError(error), `moment ${String(moment)}`).toBe(true);
          return false;
        },
      );
      if (quickHolds === undefined) break;
      expect([slowHolds, await quickHolds].filter(Boolean).length, `moment ${String(moment)}`).toBe(1);
    }
  });

  it("stays while its death cannot be proven, unless `takeOver` is set", async () => {
    const disk = memoryFiles();
    const elsewhere = createFileStore(ROOT, {
      files: disk,
      processes: { ...processOf("elsewhere", new Set()), isGone: () => undefined },
      clock: () => 1,
    });
    await elsewhere.append(RUN, [knownEvent(RUN, 1)], { after: 0 });
    const unsure: Processes = { ...processOf("here", new Set()), isGone: () => undefined };
    await expect(
      createFileStore(ROOT, { files: disk, processes: unsure, clock: () => 1 }).append(RUN, [knownEvent(RUN, 2)], {
        after: 1,
      }),
    ).rejects.toMatchObject({ code: "RUN_LOCKED", message: 'Run "r1" is being written by process 1 on "elsewhere".' });
    await createFileStore(ROOT, { files: disk, processes: unsure, clock: () => 1, takeOver: true }).append(
      RUN,
      [knownEvent(RUN, 2)],
      { after: 1 },
    );
  });

  it("lets go with the end of the run and of the store", async () => {
    const disk = memoryFiles();
    const alive = (name: string) =>
      createFileStore(ROOT, { files: disk, processes: processOf(name, new Set()), clock: () => 1 });
    const first = alive("first");
    await first.append(RUN, [knownEvent(RUN, 1)], { after: 0 });
    await first.close();
    const second = alive("second");
    await second.append(
      RUN,
      [
        {
          type: "run.finished",
          seq: 2,
          at: 2000,
          reason: "interrupted",
          verified: false,
          phase: "working",
          outcome: "failed",
        },
      ],
      { after: 1 },
    );
    await alive("third").append(RUN, [{ type: "run.resumed", seq: 3, at: 3000, attempt: 2 }], { after: 2 });
  });
});
