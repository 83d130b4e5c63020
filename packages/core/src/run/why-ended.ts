import { isPhasekitError } from "../errors.ts";
import { isReason, type Reason } from "../events/reason-codes.ts";
import { reasonOfError } from "./reason-of-error.ts";
import type { EndOptions } from "./run.ts";
import { isThenable, settleQuietly } from "./settle-quietly.ts";
import type { ViewState } from "../view/view-state.ts";

/** A model call that failed and was not followed by an answer, in a run that nothing else ends. */
export function unansweredFailure({ status, stopped, modelFailure }: ViewState): ViewState["modelFailure"] {
  return status === "running" && stopped === undefined ? modelFailure : undefined;
}

/** The given reason, or the reason an error gives; `undefined` without either. */
export function givenReason(
  { stopped, modelFailure }: ViewState,
  { reason, error, classify = reasonOfError }: EndOptions,
): Reason | undefined {
  if (reason !== undefined) return known(reason);
  if (error === undefined) return undefined;
  if (stopped !== undefined && isPhasekitError(error, "RUN_STOPPED")) return stopped.reason;
  const found = classifySafely(error, classify);
  // A library may throw an error of its own after a failed call: the call says more.
  return found === "unknown" && modelFailure !== undefined ? classifySafely(modelFailure, classify) : found;
}

function classifySafely(error: unknown, classify: NonNullable<EndOptions["classify"]>): Reason {
  try {
    const answer = classify(error);
    if (isThenable(answer)) settleQuietly(answer);
    return known(answer);
  } catch {
    // The run ends whatever the classification is worth.
    return "unknown";
  }
}

/** A host in plain JavaScript may say anything; a run that cannot say why it ended would never end. */
function known(reason: unknown): Reason {
  return isReason(reason) ? reason : "unknown";
}
