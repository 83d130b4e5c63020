import { createRun, type Run, type RunOptions } from "@phasekit/core";
import { hostClock, noTimeYet } from "./errors.ts";
import { readsHostClock } from "./host-clock.ts";
import { keepLog } from "./kept-log.ts";
import type { Steps } from "./steps.ts";

/** Where a durable run gets its time from. */
export type DurableTime =
  | {
      /** The steps of the workflow: time comes with their results, and a replay is checked against its journal. */
      readonly steps: Steps;
      readonly now?: undefined;
    }
  | {
      /** The engine's own clock in milliseconds, the same in a replay; in Temporal's sandbox, `Date.now`. */
      readonly now: () => number;
      readonly steps?: undefined;
    };

/** Options for `durableRun()`: those of a run, with an id and a source of time that a replay repeats. */
export type DurableRunOptions<TPhase extends string = string> = Omit<
  RunOptions<TPhase>,
  "id" | "clock" | "createId"
> & {
  /** Id of the workflow, the same in every attempt. Ids of child runs are made from it. */
  readonly id: string;
} & DurableTime;

/**
 * Creates a run inside a workflow of a durable engine. The engine journals the results of steps; after a crash it calls
 * the workflow again with them, and the run is computed anew: the same events, byte for byte.
 *
 * @example
 * const steps = createSteps((name, work) => DBOS.runStep(work, { name }));
 * await steps.step("start", () => undefined);
 * const run = durableRun({ ...codingRunOptions({ mode: "gate" }), id: workflowId, steps });
 * @throws HOST_CLOCK, NO_TIME_YET, and what `createRun` throws
 */
export function durableRun<const TPhase extends string = "working">(
  options: DurableRunOptions<TPhase>,
): Run<NoInfer<TPhase>> {
  const { id, steps, now = steps?.now, ...rest } = options;
  // Plain JavaScript, and options made for a run elsewhere, may hold them.
  const { clock, createId } = rest as Pick<RunOptions, "clock" | "createId">;
  if (clock !== undefined || createId !== undefined) throw hostClock("it got `clock` or `createId`");
  if (now === undefined) throw hostClock("it got neither `steps` nor `now`");
  if (readsHostClock(now)) throw hostClock("`now` reads the clock of this process");
  if (typeof id !== "string" || id === "") throw hostClock("it has no `id`, and a random one differs in every attempt");
  if (!Number.isFinite(now())) throw noTimeYet();
  const run: Run<TPhase> = createRun<TPhase>({
    ...(rest as RunOptions<TPhase>),
    id,
    clock: now,
    // The event that starts a child gives the next one another number.
    createId: () => `${id}.${String(run.view.seq)}`,
  });
  keepLog(run);
  steps?.follow(run);
  return run;
}
