import type { RunPort } from "./run.ts";
import { runEnded } from "./errors.ts";
import { isAbort } from "./is-abort.ts";
import { isReason, type Reason } from "./reason-codes.ts";

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
    run.end({ error, reason: reasonFor(error, classify) });
    throw error;
  }
}

/** An abort is an interruption; for anything finer see `classifyFailure` in the ledger. */
function classifyRoughly(error: unknown): Reason {
  const name = typeof error === "object" && error !== null ? (error as { readonly name?: unknown }).name : undefined;
  return isAbort(error) ? "interrupted" : name === "TimeoutError" ? "timeout" : "unknown";
}

/** The run ends whatever the classification is worth. */
function reasonFor(error: unknown, classify: (error: unknown) => Reason): Reason {
  try {
    const reason = classify(error);
    return isReason(reason) ? reason : "unknown";
  } catch {
    return "unknown";
  }
}
