import { PhasekitError } from "@phasekit/core";

/** A set of contracts has errors. The message lists each with file, line and column. */
export function brokenContracts(rendered: string): PhasekitError<"BROKEN_CONTRACTS"> {
  return new PhasekitError("BROKEN_CONTRACTS", `The contracts have errors:\n${rendered}`, {
    hint: "Fix the files, then run `npx phasekit contracts check`.",
  });
}

/** An identifier is not safe inside a path. */
export function unsafeIdentifier(identifier: string): PhasekitError<"UNSAFE_IDENTIFIER"> {
  return new PhasekitError(
    "UNSAFE_IDENTIFIER",
    `The identifier ${JSON.stringify(identifier.slice(0, 80))} is not safe inside a path.`,
    {
      hint: "Use at most 128 letters, digits, dots, hyphens and underscores. Begin with a letter or digit.",
    },
  );
}

/** A contract has an artifact, and the host passed no source to read it from. */
export function noArtifactSource(phase: string): PhasekitError<"NO_ARTIFACT_SOURCE"> {
  return new PhasekitError(
    "NO_ARTIFACT_SOURCE",
    `The contract of phase "${phase}" has an artifact_path, but \`artifacts\` is missing.`,
    {
      hint: "Pass `artifacts: createArtifactFiles({ projectRoot })`, or remove artifact_path from the contract.",
    },
  );
}

/** A work item does not exist. */
export function unknownItem(id: string): PhasekitError<"UNKNOWN_ITEM"> {
  return new PhasekitError("UNKNOWN_ITEM", `There is no work item "${id}".`, {
    hint: `Add it first: \`await pipeline.add({ id: "${id}" })\`.`,
  });
}

/** A work item with this identifier already exists. */
export function duplicateItem(id: string): PhasekitError<"DUPLICATE_ITEM"> {
  return new PhasekitError("DUPLICATE_ITEM", `The work item "${id}" already exists.`, {
    hint: `Use another id, or load the item: \`await store.load("${id}")\`.`,
  });
}

/** This version of Node has no built-in SQLite. */
export function noSqlite(version: string): PhasekitError<"NO_SQLITE"> {
  return new PhasekitError("NO_SQLITE", `Node ${version} has no built-in SQLite.`, {
    hint: "Use Node 22.13 or newer, or another store: `createMemoryWorkStore()`, or that of @phasekit/postgres.",
  });
}

/** A claim, verdict or item is invalid. */
export function invalidInput(what: string, issues: readonly string[]): PhasekitError<"INVALID_INPUT"> {
  return new PhasekitError("INVALID_INPUT", `The ${what} is invalid: ${issues.join("; ")}.`, {
    hint: `Fix the ${what} and submit it again.`,
  });
}

/** An idempotency key was used again with other content. */
export function claimConflict(key: string): PhasekitError<"CLAIM_CONFLICT"> {
  return new PhasekitError("CLAIM_CONFLICT", `The idempotency key "${key}" belongs to another claim.`, {
    hint: "Use a new key for new content. Repeat a key only to read the result of the same claim.",
  });
}

/** An item has reached its limit of undecided claims. */
export function tooManyClaims(item: string, limit: number): PhasekitError<"TOO_MANY_CLAIMS"> {
  return new PhasekitError("TOO_MANY_CLAIMS", `Item "${item}" has ${limit} undecided claims, which is the limit.`, {
    hint: "Decide them first: `await pipeline.tick()`.",
  });
}

/** A verdict names a review that is not open. */
export function unknownReview(review: string): PhasekitError<"UNKNOWN_REVIEW"> {
  return new PhasekitError(
    "UNKNOWN_REVIEW",
    `The review ${JSON.stringify(review.slice(0, 80))} is not waiting for a verdict.`,
    {
      hint: "Use an id from `await pipeline.reviews()`. A review takes one verdict.",
    },
  );
}

/** The item is on hold until a person releases it. */
export function itemHeld(id: string, why: string): PhasekitError<"ITEM_HELD"> {
  return new PhasekitError("ITEM_HELD", `Item "${id}" is on hold for a person: ${why}`, {
    hint: `After a review, release it: \`await pipeline.release("${id}", { by: "your name" })\`.`,
  });
}

/** Other writers changed the item during every attempt. */
export function storeBusy(id: string, tries: number): PhasekitError<"STORE_BUSY"> {
  return new PhasekitError("STORE_BUSY", `Item "${id}" was modified concurrently; gave up after ${tries} attempts.`, {
    hint: "Nothing was written. Retry the call.",
  });
}

/** A store was written by a newer version of the package. */
export function newerStore(found: number, known: number): PhasekitError<"NEWER_STORE"> {
  return new PhasekitError(
    "NEWER_STORE",
    `The store has schema version ${found}; this package supports up to ${known}.`,
    {
      hint: "Update the package: `npm install @phasekit/contracts@latest`.",
    },
  );
}
