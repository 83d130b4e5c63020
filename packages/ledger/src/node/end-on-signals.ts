import type { RunPort } from "@phasekit/core";
import type { Archive } from "../archive-run.ts";

export interface EndOnSignalsOptions {
  /** Waited for, at most two seconds, before the process ends. */
  readonly archive?: Archive;
  /** @default SIGINT, SIGTERM and SIGHUP */
  readonly signals?: readonly NodeJS.Signals[];
}

const PATIENCE_MS = 2000;

/**
 * Ends a run as interrupted when the process gets a signal to stop, lets its archive finish, and then lets the signal
 * do what it would have done. Returns the function that takes the handlers away again.
 *
 * @example
 * const release = endOnSignals(run, { archive });
 */
export function endOnSignals(
  run: RunPort,
  { archive, signals = ["SIGINT", "SIGTERM", "SIGHUP"] }: EndOnSignalsOptions = {},
): () => void {
  function handle(signal: NodeJS.Signals): void {
    release();
    run.end({ reason: "interrupted", summary: `The process got ${signal}.` });
    const patience = new Promise((resolve) => setTimeout(resolve, PATIENCE_MS).unref());
    void Promise.race([archive?.close() ?? Promise.resolve(), patience]).finally(() =>
      process.kill(process.pid, signal),
    );
  }
  function release(): void {
    for (const signal of signals) process.off(signal, handle);
  }
  for (const signal of signals) process.on(signal, handle);
  return release;
}
