import type { StallEntry } from "./stall-state.ts";

/**
 * The kind of work that learns and changes nothing. *Looking*: the agent asks for what it knows or what is not there.
 * *Trying*: its own check stays red, or its edits do not land. An agent that looks in circles may be stopped; one that
 * tries a hard fix gets advice, a review and the user's budget.
 */
export type StallKind = "looking" | "trying";

/** As many calls as a stall is judged by. */
const LAST = 8;

/** The kind of a stall: what most of its last calls are. */
export function kindOfStall(recent: readonly StallEntry[]): StallKind {
  const last = recent.slice(-LAST);
  return last.filter(isTry).length * 2 > last.length ? "trying" : "looking";
}

/** An edit, whether it landed or not, or a check that stays red after a change. */
function isTry({ edits, effect, failed, repeated }: StallEntry): boolean {
  return !repeated && (edits || (effect === "check" && failed));
}
