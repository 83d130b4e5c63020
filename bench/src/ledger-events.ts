import type { RunEvent } from "@phasekit/core";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { logOf, toolEvent } from "./sample-events.ts";

/** Makes events of 1 kB for the stores of the ledger comparisons. */
export interface EventSource {
  readonly event: (seq: number) => RunEvent;
  /** The next events of a run; the first one of a run starts it. */
  readonly batch: (run: string, place: { readonly after: number; readonly count: number }) => readonly RunEvent[];
}

/** Creates a source that repeats 500 events under new numbers. */
export function createEventSource(): EventSource {
  const sample = logOf(Array.from({ length: 500 }, (_, n) => toolEvent(n))).slice(2);
  const event = (seq: number): RunEvent => ({
    ...(sample[seq % sample.length] as RunEvent),
    seq,
    call: `call-${String(seq)}`,
  });
  const first = (run: string): RunEvent => ({ ...(logOf([])[0] as RunEvent), run }) as RunEvent;
  return {
    event,
    batch: (run, { after, count }) =>
      Array.from({ length: count }, (_, n) => (after + n === 0 ? first(run) : event(after + n + 1))),
  };
}

/** The first log file of a run below a store's folder. */
export function logFile(folder: string, run: string): string {
  return join(folder, run, "log", "0001-0001.jsonl");
}

/** Runs work in a folder of its own, and removes the folder. */
export async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "ledger-bench-"));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
