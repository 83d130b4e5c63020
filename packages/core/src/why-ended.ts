import { isPhasekitError } from "./errors.ts";
import { isReason, type Reason } from "./reason-codes.ts";
import { reasonOfError } from "./reason-of-error.ts";
import type { EndOptions } from "./run.ts";
import type { ViewState } from "./view-state.ts";

/** A model call that failed and was not followed by an answer, in a run that nothing else ends. */
export function unansweredFailure({ status, stopped, modelFailure }: ViewState): ViewState["modelFailure"] {
  return status === "running" && stopped === undefined ? modelFailure : undefined;
}

/** The reason somebody gave, or the one an error gives; `undefined` when there is neither. */
export function givenReason({ stopped }: ViewState, { reason, error, classify = reasonOfError }: EndOptions): Reason | undefined {
  if (reason !== undefined) return known(reason);
  if (error === undefined) return undefined;
  if (stopped !== undefined && isPhasekitError(error, "RUN_STOPPED")) return stopped.reason;
  try {
    return known(classify(error));
  } catch {
    // The run ends whatever the classification is worth.
    return "unknown";
  }
}

/** A host in plain JavaScript may say anything; a run that cannot say why it ended would never end. */
function known(reason: unknown): Reason {
  return isReason(reason) ? reason : "unknown";
}
