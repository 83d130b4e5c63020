/** Names the end of a run for lists: its reason, and the grade of the evidence of a verified one. */
export function endOf({ reason, state, verified, evidence }: RunStory): {
  readonly end: string;
  readonly good: boolean;
} {
  return {
    end:
      reason === undefined
        ? state
        : reason === "done" && verified === true
          ? `done, ${evidence?.grade ?? "verified"}`
          : reason,
    good: reason === "done",
  };
}
import type { RunStory } from "@phasekit/ledger/story";
