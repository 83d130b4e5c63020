import { PhasekitError } from "@phasekit/core";

/** A set of contracts has errors; the message lists every one with file, line and column. */
export function brokenContracts(rendered: string): PhasekitError<"BROKEN_CONTRACTS"> {
  return new PhasekitError("BROKEN_CONTRACTS", `The contracts cannot be used.\n${rendered}`, {
    hint: "Correct the files; a broken contract is never replaced by a default.",
  });
}

/** An identifier would not be safe inside a path. */
export function unsafeIdentifier(identifier: string): PhasekitError<"UNSAFE_IDENTIFIER"> {
  return new PhasekitError("UNSAFE_IDENTIFIER", `The identifier ${JSON.stringify(identifier.slice(0, 80))} cannot be used in a path.`, {
    hint: "Use letters, digits, dots, hyphens and underscores, at most 128, beginning with a letter or digit.",
  });
}

/** A work item does not exist. */
export function unknownItem(id: string): PhasekitError<"UNKNOWN_ITEM"> {
  return new PhasekitError("UNKNOWN_ITEM", `There is no work item "${id}".`, { hint: "Add it with addItem(store, …) first." });
}

/** A work item with this identifier exists already. */
export function duplicateItem(id: string): PhasekitError<"DUPLICATE_ITEM"> {
  return new PhasekitError("DUPLICATE_ITEM", `There is already a work item "${id}".`, { hint: "Give every item an identifier of its own." });
}

/** This Node has no SQLite of its own. */
export function noSqlite(version: string): PhasekitError<"NO_SQLITE"> {
  return new PhasekitError("NO_SQLITE", `Node ${version} has no built-in SQLite.`, { hint: "Use Node 22.13 or newer, or another store: createMemoryWorkStore(), or the one of @phasekit/postgres." });
}

/** A claim, verdict or item from outside has the wrong shape. */
export function invalidInput(what: string, issues: readonly string[]): PhasekitError<"INVALID_INPUT"> {
  return new PhasekitError("INVALID_INPUT", `The ${what} is wrong: ${issues.join("; ")}.`, { hint: `Correct the ${what} and hand it in again.` });
}

/** An idempotency key came again with other content. */
export function claimConflict(key: string): PhasekitError<"CLAIM_CONFLICT"> {
  return new PhasekitError("CLAIM_CONFLICT", `The idempotency key "${key}" was used for another claim.`, {
    hint: "Use a new key for new content; repeat a key only to learn what became of the same claim.",
  });
}

/** An item has as many undecided claims as it may have. */
export function tooManyClaims(item: string, limit: number): PhasekitError<"TOO_MANY_CLAIMS"> {
  return new PhasekitError("TOO_MANY_CLAIMS", `Item "${item}" has ${limit} claims that nobody has decided yet.`, {
    hint: "Wait until processClaims has decided them.",
  });
}

/** A verdict names a review that does not wait for one. */
export function unknownReview(review: string): PhasekitError<"UNKNOWN_REVIEW"> {
  return new PhasekitError("UNKNOWN_REVIEW", `No review ${JSON.stringify(review.slice(0, 80))} waits for a verdict.`, {
    hint: "Take the identifier from pendingReviews(store); a review is answered once.",
  });
}

/** The item may not be worked on until a person has looked at it. */
export function itemHeld(id: string, why: string): PhasekitError<"ITEM_HELD"> {
  return new PhasekitError("ITEM_HELD", `Item "${id}" waits for a person: ${why}`, { hint: "A person calls releaseItem(store, …) after looking at it." });
}

/** The store would not take a change although it was tried many times. */
export function storeBusy(id: string, tries: number): PhasekitError<"STORE_BUSY"> {
  return new PhasekitError("STORE_BUSY", `Item "${id}" changed under our hands ${tries} times.`, { hint: "Try again; nothing was written." });
}

/** A store was written by a newer version of the package. */
export function newerStore(found: number, known: number): PhasekitError<"NEWER_STORE"> {
  return new PhasekitError("NEWER_STORE", `The store has schema version ${found}; this package knows ${known}.`, { hint: "Update @phasekit/contracts." });
}
