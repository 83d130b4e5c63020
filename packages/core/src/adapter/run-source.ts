import { invalidOption, runEnded } from "../errors.ts";
import type { RunPort } from "../run/run.ts";

/**
 * The run of an adapter: a run, or a function that gives one. Agents and clients outlive runs, so the function is
 * called once per invocation of the host, with what the host knows about it.
 */
export type RunSource<TContext = unknown> = RunPort | ((context: TContext) => RunPort);

/**
 * The run for one invocation.
 *
 * @throws RUN_ENDED when that run has ended: its hint says to pass a function. INVALID_OPTION if it is not a run.
 */
export function runFrom<TContext>(source: RunSource<TContext>, context: TContext): RunPort {
  const run: RunPort | undefined = typeof source === "function" ? source(context) : source;
  if (!isRun(run))
    throw invalidOption(
      "run",
      (run as unknown) instanceof Promise
        ? "the function for it is asynchronous; create the run before, or synchronously"
        : NOT_A_RUN,
    );
  if (run.view.status === "ended") throw runEnded(run.id);
  return run;
}

/**
 * Refuses swapped arguments where they are written, not at the first call of an agent that was wrapped.
 *
 * @throws INVALID_OPTION if the first argument is not a run or a function, or the second one is a run.
 */
export function assertRunFirst(source: unknown, wrapped: unknown): void {
  if (isRun(wrapped)) throw invalidOption("run", "it comes first: withPhases(run, …)");
  if (typeof source !== "function" && !isRun(source)) throw invalidOption("run", NOT_A_RUN);
}

const NOT_A_RUN = "it must be a run, or a function that gives one";

/** True if a value is a run. */
export function isRun(value: unknown): value is RunPort {
  return typeof (value as Partial<RunPort> | null | undefined)?.beforeTurn === "function";
}
