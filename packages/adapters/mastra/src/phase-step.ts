import type { Run, RunPort } from "@phasekit/core";
import { shieldRun } from "@phasekit/core/adapter";

/** The members we use of a step of a workflow. */
export interface StepLike {
  readonly id: string;
  readonly execute: (...args: never[]) => unknown;
}

/**
 * Maps a step of a workflow to a phase: the run moves there before the step executes. A move that the graph does not
 * allow is refused and recorded, and the step executes either way.
 *
 * @example
 * createWorkflow(options).then(phaseStep(run, "planning", plan)).then(phaseStep(run, "coding", code)).commit();
 */
export function phaseStep<const TPhase extends string, TStep extends StepLike>(
  run: Run<TPhase>,
  phase: NoInfer<TPhase>,
  step: TStep,
): TStep {
  const execute = (...args: never[]): unknown => {
    const port: RunPort = run;
    shieldRun(port).attempt(
      "phaseStep",
      () => !run.view.isIn(phase) && run.transition(phase, { by: "host", why: `step ${step.id}` }),
      false,
    );
    return step.execute(...args);
  };
  return { ...step, execute };
}
