import type { EventOf, Meaning } from "@phasekit/core";
import { isCheck, isScratch, isTest, landsEdit } from "./work-done.ts";
import type { WorkLog } from "./work-log.ts";

/** What one call says about the phase of a coding run. */
export type CodingSignal =
  /** It looks around. */
  | "look"
  /** It has changed the work. */
  | "edit"
  /** It has written something only to try it out. */
  | "probe"
  /** It has tried out the work. */
  | "check"
  /** It has made or changed a plan. */
  | "plan";

/**
 * The signal of a finished call; of a line that edits and then tests, the last counts. `undefined` says nothing either
 * way.
 */
export function signalOf(
  { meaning, outcome }: Pick<EventOf<"tool.finished">, "meaning" | "outcome">,
  log: Pick<Readonly<WorkLog>, "scratchFiles">,
): CodingSignal | undefined {
  if (outcome === "denied") return undefined;
  const edits = landsEdit(meaning, outcome);
  const scratch = edits && isScratch(log.scratchFiles, meaning);
  const checks = isCheck(meaning);
  // An editor that runs the tests itself edits all the same.
  if (edits && checks && meaning.parts !== undefined) return scratch || lastOf(meaning) !== "edit" ? "check" : "edit";
  if (edits) return scratch ? "probe" : "edit";
  if (checks) return "check";
  switch (meaning.activity) {
    // One that did not land changes nothing, but shows what the agent is at.
    case "edit":
      return isScratch(log.scratchFiles, meaning) ? "probe" : "edit";
    case "read":
    case "search":
      return "look";
    case "plan":
      return "plan";
    default:
      return undefined;
  }
}

function lastOf(meaning: Meaning): string | undefined {
  const parts = meaning.parts ?? [];
  const checking = isTest(meaning) ? ["test"] : ["build", "lint", "run"];
  return parts.findLast((part) => part === "edit" || checking.includes(part));
}
