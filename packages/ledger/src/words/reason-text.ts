import { reasons } from "@phasekit/core";
import { ownValue } from "@phasekit/core/adapter";

/** Returns the meaning of a reason. A log of a later version may have reasons that this version does not know. */
export function reasonText(reason: string): string {
  return ownValue(reasons, reason)?.text ?? "This version of Phasekit does not know this reason.";
}
