import { isRun } from "../adapter/run-source.ts";
import { invalidOption, runEnded } from "../errors.ts";
import { defined } from "../text/defined.ts";
import type { Reason } from "../events/reason-codes.ts";
import type { RunPort } from "./run.ts";

/**
 * Runs a function and ends the run whatever becomes of it: with what the run knows when it returns, with the shape of
 * the error when it throws. The error is thrown on. Why it ended is for the run's `classify` to say, or for the one
 * given here.
 *
 * @example
 * const text = await trackRun(run, () => agent.generate(prompt));
 * @throws RUN_ENDED when the run has ended before; INVALID_OPTION for arguments that are not a run and a function.
 */
export async function trackRun<T>(
  run: RunPort,
  work: () => T | Promise<T>,
  { classify }: { readonly classify?: (error: unknown) => Reason } = {},
): Promise<T> {
  if (typeof work !== "function" || !isRun(run))
    throw invalidOption("work", "it must be a function: trackRun(run, () => generate(prompt))");
  if (run.view.status === "ended") throw runEnded(run.id);
  try {
    const result = await work();
    run.end();
    return result;
  } catch (error) {
    run.end({ error: error ?? "a value that says nothing", ...defined({ classify }) });
    throw error;
  }
}
