import type { Run, RunEvent } from "@phasekit/core";
import { printOnce } from "@phasekit/core/adapter";
import { routingCorrected, type RoutingCorrection } from "./conversation-events.ts";

/** Corrections that point at a mistake in the program. The others are the normal course of a conversation. */
const MISTAKES: readonly RoutingCorrection["why"][] = ["failed", "unknown-agent", "initial-phase"];

/** Prints a router that fails and names that do not exist, once and in development only. The log has them always. */
export function printProblems(run: Pick<Run, "subscribe">): void {
  run.subscribe((step) => {
    for (const event of step) {
      const text = problemOf(event);
      if (text !== undefined) printOnce(`in a conversation: ${text}`);
    }
  });
}

function problemOf(event: RunEvent): string | undefined {
  if (event.type === "phase.refused") return event.why === "unknown-phase" ? event.text : undefined;
  return routingCorrected.is(event) && MISTAKES.includes(event.data.why) ? event.data.feedback : undefined;
}
