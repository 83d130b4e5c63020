import { PhasekitError } from "@phasekit/core";

/** A conversation was made with an option that cannot work. */
export function invalidConversation(option: string, problem: string): PhasekitError<"INVALID_CONVERSATION"> {
  return new PhasekitError("INVALID_CONVERSATION", `The option "${option}" of the conversation is wrong: ${problem}.`, {
    hint: "See the documentation of createConversation.",
  });
}

/** Somebody names a conversation that was never posted on the board. */
export function unknownConversation(id: string, known: readonly string[]): PhasekitError<"UNKNOWN_CONVERSATION"> {
  return new PhasekitError("UNKNOWN_CONVERSATION", `There is no conversation "${id}".`, {
    hint: known.length === 0 ? "Make it with the same board first." : `Known are: ${known.slice(0, 20).join(", ")}.`,
  });
}

/** A stored lease table cannot be read. */
export function damagedLeases(problem: string): PhasekitError<"DAMAGED_LEASES"> {
  return new PhasekitError("DAMAGED_LEASES", `The stored leases cannot be read: ${problem}.`, { hint: "Hand in what `snapshot()` gave, or start with an empty store." });
}
