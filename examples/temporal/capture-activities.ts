// Runs in the sandbox, in tests only: hands out what the workflow gives its activities, and lets nothing read the
// sandbox's clock or random numbers, because a run must not need them.
import { proxySinks, type Sinks, type WorkflowInterceptors } from "@temporalio/workflow";

export interface CapturedActivities extends Sinks {
  readonly activities: { readonly scheduled: (type: string, args: readonly unknown[]) => void };
}

const { activities } = proxySinks<CapturedActivities>();

export const interceptors = (): WorkflowInterceptors => ({
  outbound: [
    {
      scheduleActivity: (input, next) => {
        activities.scheduled(input.activityType, input.args);
        return next(input);
      },
    },
  ],
});

const forbidden = (name: string) => (): never => {
  throw new Error(`${name} was read in a workflow`);
};
Math.random = forbidden("Math.random");
Date.now = forbidden("Date.now");
