import type { RunPort } from "@phasekit/core";
import { storedRunOf } from "../stored-runs.ts";

export interface EndOnSignalsOptions {
  /** @default SIGINT, SIGTERM and SIGHUP */
  readonly signals?: readonly NodeJS.Signals[];
}

const PATIENCE_MS = 2000;

/**
 * Ends a run as interrupted when the process gets a signal to stop, waits at most two seconds until it is stored, and
 * then lets the signal do what it would have done. Returns the function that takes the handlers away again.
 *
 * @example
 * const release = endOnSignals(run);
 */
export function endOnSignals(
  run: RunPort,
  { signals = ["SIGINT", "SIGTERM", "SIGHUP"] }: EndOnSignalsOptions = {},
): () => void {
  function handle(signal: NodeJS.Signals): void {
    release();
    run.end({ reason: "interrupted", summary: `The process got ${signal}.` });
    const patience = new Promise((resolve) => setTimeout(resolve, PATIENCE_MS).unref());
    void Promise.race([storedRunOf(run)?.close() ?? Promise.resolve(), patience]).finally(() =>
      process.kill(process.pid, signal),
    );
  }
  function release(): void {
    for (const signal of signals) process.off(signal, handle);
  }
  for (const signal of signals) process.on(signal, handle);
  return release;
}
