import { defineGate, type EventOf, type GateAnswer, type Policy, type RunView } from "@phasekit/core";
import { ownWork, workOf } from "../own-work.ts";
import type { WorkLog } from "../work-log.ts";

/** Defines a gate over the work log: the tracker's log if there is one, else its own. */
export function workGate(
  name: string,
  {
    version,
    check,
  }: {
    readonly version: string;
    readonly check: (
      work: Readonly<WorkLog>,
      run: RunView,
      event: EventOf<"finish.requested">,
    ) => GateAnswer | undefined;
  },
): Policy {
  return defineGate({
    name,
    version,
    ...ownWork(),
    check: (run, state, event) => check(workOf(run, state), run, event),
  });
}
