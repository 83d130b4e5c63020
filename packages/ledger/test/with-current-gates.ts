import { currentPolicyName } from "@phasekit/core/adapter";

/** The expected text with today's names of the gates: a log is read with them, whichever names it was stored with. */
export function withCurrentGates(text: string): string {
  return text.replaceAll(/(?<="|\\")[a-z]+(?:-[a-z]+)+(?="|\\")/g, currentPolicyName);
}
