import { PhasekitError } from "@phasekit/core";

/** An option of `createConversation` or `recoverConversation` is invalid. */
export function invalidConversation(option: string, problem: string): PhasekitError<"INVALID_CONVERSATION"> {
  return new PhasekitError(
    "INVALID_CONVERSATION",
    `The option "${option}" of the conversation is invalid: ${problem}.`,
    {
      hint: 'Start from `createConversation({ agents: [defineAgent({ name: "planner", work })], router })`.',
    },
  );
}

/** The board has no conversation with this id. */
export function unknownConversation(id: string, known: readonly string[]): PhasekitError<"UNKNOWN_CONVERSATION"> {
  return new PhasekitError("UNKNOWN_CONVERSATION", `There is no conversation "${id}" on the board.`, {
    hint:
      known.length === 0
        ? `Create it with the same board first: \`createConversation({ id: "${id}", board, … })\`.`
        : `Use one of: ${known.slice(0, 20).join(", ")}.`,
  });
}

/** The snapshot of a lease store is invalid. */
export function damagedLeases(problem: string): PhasekitError<"DAMAGED_LEASES"> {
  return new PhasekitError("DAMAGED_LEASES", `The snapshot of the leases is invalid: ${problem}.`, {
    hint: "Pass the result of `store.snapshot()` as `from`, or leave `from` out to start empty.",
  });
}
