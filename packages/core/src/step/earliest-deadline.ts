import type { PolicyPart } from "./policy-rows.ts";
import type { RunView } from "../view/run-view.ts";
import { refusePromise } from "../run/settle-quietly.ts";
import type { ViewState } from "../view/view-state.ts";

/** Returns the earliest deadline that has not been ticked: of the suspension, or of a policy that is not disabled. */
export function earliestDeadline(
  view: ViewState,
  run: RunView<string>,
  sleepers: Iterable<PolicyPart>,
): number | undefined {
  if (view.status === "suspended") return (view.suspendUntil ?? 0) > view.tickedAt ? view.suspendUntil : undefined;
  if (view.status === "ended") return undefined;
  let earliest: number | undefined;
  for (const part of sleepers) {
    const deadline = deadlineOf(part, run);
    if (deadline !== undefined && deadline > view.tickedAt && !(deadline >= (earliest ?? Infinity)))
      earliest = deadline;
  }
  return earliest;
}

/** A policy that fails here has no deadline; the others keep theirs. */
function deadlineOf({ policy, state, disabled }: PolicyPart, run: RunView<string>): number | undefined {
  if (disabled) return undefined;
  try {
    const deadline: unknown = policy.wakeAt?.(run, state as never);
    refusePromise(deadline, "a policy names a deadline");
    return typeof deadline === "number" ? deadline : undefined;
  } catch {
    return undefined;
  }
}
