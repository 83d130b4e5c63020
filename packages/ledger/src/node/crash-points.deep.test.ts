// The process dies, or the power goes, at every single file operation of a log's life.
import { depth } from "@phasekit/tooling/test-depth";
import { describe, expect, it } from "vitest";
import { checkDisk } from "./__fixtures__/check-disk.ts";
import { seeded } from "./__fixtures__/known-log.ts";
import { memoryFiles, type MemoryFiles } from "./__fixtures__/memory-files.ts";
import { live } from "./__fixtures__/scripted-life.ts";
import type { FileSystem } from "./file-system.ts";

/** States of the disk after each of so many power cuts. */
const STATES = depth({ quick: 3, full: 10, long: 500 });
const CHANGING: ReadonlySet<string> = new Set([
  "create",
  "write",
  "sync",
  "syncLater",
  "syncFolder",
  "makeFolder",
  "link",
  "rename",
  "remove",
]);

/** Calls `before` in front of every operation that changes the disk, and in the middle of every write. */
function stoppedAt(disk: MemoryFiles, before: (operation: string) => void): FileSystem {
  return Object.fromEntries(
    Object.entries(disk).map(([name, operation]: [string, (...args: unknown[]) => unknown]) => [
      name,
      !CHANGING.has(name)
        ? operation
        : (...args: unknown[]) => {
            before(name);
            const [file, bytes, position] = args as [number, Uint8Array, number | undefined];
            if (name !== "write" || bytes.byteLength < 2) return operation(...args);
            const half = bytes.byteLength >> 1;
            disk.write(file, bytes.subarray(0, half), position);
            before("half a write");
            return half + disk.write(file, bytes.subarray(half), position === undefined ? undefined : position + half);
          },
    ]),
  ) as unknown as FileSystem;
}

/** Lives the scripted life; `look` sees the disk at each point, with what had been acknowledged at either level. */
async function atEveryPoint(
  look: (disk: MemoryFiles, acknowledged: { readonly kernel: number; readonly disk: number }) => MemoryFiles[],
): Promise<{
  readonly attempted: number;
  readonly left: readonly { readonly disk: MemoryFiles; readonly point: string }[];
  readonly sure: readonly { readonly kernel: number; readonly disk: number }[];
}> {
  const disk = memoryFiles();
  let acknowledged = { kernel: 0, disk: 0 };
  const left: { disk: MemoryFiles; point: string }[] = [];
  const sure: { kernel: number; disk: number }[] = [];
  let points = 0;
  const files = stoppedAt(disk, (operation) => {
    points += 1;
    for (const state of look(disk, acknowledged)) {
      left.push({ disk: state, point: `${operation}, point ${String(points)}` });
      sure.push(acknowledged);
    }
  });
  const { attempted } = await live(
    files,
    (end, level) => (acknowledged = { kernel: end, disk: level === "disk" ? end : acknowledged.disk }),
  );
  expect(points).toBeGreaterThan(80);
  return { attempted, left, sure };
}

describe("at every file operation", () => {
  it("a kill loses nothing that was acknowledged", async () => {
    const { attempted, left, sure } = await atEveryPoint((disk) => [disk.copy()]);
    for (const [index, { disk, point }] of left.entries()) {
      await checkDisk(disk, { acknowledged: sure[index]?.kernel ?? 0, attempted }).catch((error: unknown) => {
        throw new Error(point, { cause: error });
      });
    }
  });

  it(
    `a power cut loses nothing that was acknowledged as being on the disk, in ${String(STATES)} states each`,
    { timeout: 1_200_000 + STATES * 2000 },
    async () => {
      const random = seeded(7);
      const { attempted, left, sure } = await atEveryPoint((disk) =>
        Array.from({ length: STATES }, () => disk.powerCut(random)),
      );
      for (const [index, { disk, point }] of left.entries()) {
        await checkDisk(disk, { acknowledged: sure[index]?.disk ?? 0, attempted }).catch((error: unknown) => {
          throw new Error(`${point}, state ${String(index)}`, { cause: error });
        });
      }
    },
  );
});
