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
  if (typeof (run as Partial<RunPort> | undefined)?.beforeTurn !== "function") {
    throw invalidOption(
      "run",
      run instanceof Promise
        ? "the function for it is asynchronous; create the run before, or synchronously"
        : "it must be a run, or a function that gives one",
    );
  }
  if (run.view.status === "ended") throw runEnded(run.id);
  return run;
}
