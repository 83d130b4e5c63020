import type { EndOptions, RunPort } from "./run.ts";
import { runEnded } from "./errors.ts";
import type { Reason } from "./reasons.ts";

/**
 * Runs a function and ends the run whatever becomes of it: with what the run knows when it returns, with the shape of
 * the error when it throws. The error is thrown on.
 *
 * @example
 * const text = await trackRun(run, () => agent.generate(prompt));
 * @throws RUN_ENDED when the run has ended before.
 */
export async function trackRun<T>(
  run: RunPort,
  work: () => T | Promise<T>,
  { classify = classifyRoughly }: { readonly classify?: (error: unknown) => Reason } = {},
): Promise<T> {
  if (run.view.status === "ended") throw runEnded(run.id);
  try {
    const result = await work();
    run.end();
    return result;
  } catch (error) {
    run.end({ error, reason: quietly(() => classify(error)) });
    throw error;
  }
}

/** An abort is an interruption; for anything finer see `classifyFailure` in the ledger. */
function classifyRoughly(error: unknown): Reason {
  const name = typeof error === "object" && error !== null ? (error as { readonly name?: unknown }).name : undefined;
  return name === "AbortError" ? "interrupted" : name === "TimeoutError" ? "timeout" : "unknown";
}

function quietly(read: () => Reason): EndOptions["reason"] {
  try {
    return read();
  } catch {
    return "unknown";
  }
}
