import type { EventOf, Meaning } from "@phasekit/core";
import { callOf } from "@phasekit/core/account";
import { isScratch } from "./scratch-edit.ts";
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
  /** It has handed the work over: a commit, a push, a pull request, a comment. */
  | "deliver"
  /** It has made or changed a plan. */
  | "plan";

/**
 * The signal of a finished call; of a line that edits and then tests, the last counts. `undefined` says nothing either
 * way.
 */
export function signalOf(
  { meaning, outcome }: Pick<EventOf<"tool.finished">, "meaning" | "outcome">,
  { scratchFiles, changed }: Pick<Readonly<WorkLog>, "scratchFiles"> & { readonly changed: boolean },
): CodingSignal | undefined {
  if (outcome === "denied") return undefined;
  const { landed, isCheck: checks } = callOf({ meaning, outcome });
  const log = { scratchFiles };
  // What is only removed, or written outside the project, says nothing about the work.
  const edits = landed && (changed || isScratch(scratchFiles, meaning));
  if (delivers({ meaning, outcome }) && !(edits && meaning.parts?.at(-1) === "edit")) return "deliver";
  const scratch = edits && isScratch(log.scratchFiles, meaning);
  // An editor that runs the tests itself edits all the same.
  if (edits && checks && meaning.parts !== undefined) return scratch || lastOf(meaning) !== "edit" ? "check" : "edit";
  if (edits) return scratch ? "probe" : "edit";
  if (checks) return "check";
  switch (meaning.activity) {
    // One that did not land changes nothing, but shows what the agent is at.
    case "edit":
      if (landed) return undefined;
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

/** True if a call took a step of delivery; a look at CI is none, and one that failed delivered nothing. */
function delivers(call: Pick<EventOf<"tool.finished">, "meaning" | "outcome">): boolean {
  const steps = call.meaning.delivers ?? [];
  return steps.some((step) => step !== "ci" && step !== "no-verify") && !callOf(call).failed;
}

function lastOf(meaning: Meaning): string | undefined {
  const parts = meaning.parts ?? [];
  const checking = callOf({ meaning }).isTest ? ["test"] : ["build", "lint", "run"];
  return parts.findLast((part) => part === "edit" || checking.includes(part));
}
