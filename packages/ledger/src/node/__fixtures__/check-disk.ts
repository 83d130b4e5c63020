import { expect } from "vitest";
import { knownEvent } from "./known-log.ts";
import type { MemoryFiles } from "./memory-files.ts";
import { openStore, readAll, RUN } from "./scripted-life.ts";

/** Nothing acknowledged is lost, nothing is invented, and the next process goes on without any repair by hand. */
export async function checkDisk(
  disk: MemoryFiles,
  { acknowledged, attempted }: { readonly acknowledged: number; readonly attempted: number },
): Promise<void> {
  const report = await openStore(disk).inspect(RUN);
  expect(report.integrity, JSON.stringify(report)).not.toBe("damaged");
  const events = await readAll(disk);
  expect(events.length).toBeGreaterThanOrEqual(acknowledged);
  expect(events.length).toBeLessThanOrEqual(attempted);
  expect(JSON.stringify(events)).toBe(JSON.stringify(events.map((_, index) => knownEvent(RUN, index + 1))));
  const store = openStore(disk);
  await store.append(RUN, [knownEvent(RUN, events.length + 1)], { after: events.length });
  await store.close();
  expect((await readAll(disk)).length).toBe(events.length + 1);
}
