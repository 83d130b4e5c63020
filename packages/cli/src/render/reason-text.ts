import { reasons } from "@phasekit/core";

/** Returns the meaning of a reason. A log of a later version may have reasons that this version does not know. */
export function reasonText(reason: string): string {
  return Object.hasOwn(reasons, reason)
    ? reasons[reason as keyof typeof reasons].text
    : "This version of Phasekit does not know this reason.";
}
