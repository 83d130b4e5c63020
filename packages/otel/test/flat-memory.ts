import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "vitest";

interface Measured {
  /** Bytes of the heap after a collection, at a tenth and at the end. */
  readonly early: number;
  readonly late: number;
  readonly events: number;
  readonly waiting: number;
  readonly dropped: number;
}

/** Runs an agent in a process of its own that traces to a port where nothing listens. */
export async function expectFlatMemory(events: number): Promise<void> {
  const { stdout } = await promisify(execFile)(process.execPath, [
    "--expose-gc",
    "--conditions=phasekit-source",
    join(import.meta.dirname, "trace-to-nowhere.ts"),
    String(events),
  ]);
  const { early, late, waiting, dropped, events: recorded } = JSON.parse(stdout) as Measured;
  expect(recorded).toBeGreaterThanOrEqual(events);
  expect(waiting).toBeLessThanOrEqual(2 * 2000 + 2000);
  expect(dropped).toBeGreaterThan(0);
  // Queues that are full, caches that are warm, and no more.
  expect(late).toBeLessThan(early + 12_000_000);
}
