import { PhasekitError } from "@phasekit/core";

/** The name of the schema cannot be one. */
export function invalidSchema(schema: string): PhasekitError<"INVALID_OPTION"> {
  return new PhasekitError("INVALID_OPTION", `The option "schema" is wrong: "${schema}" is no name of a schema.`, { hint: "Use small letters, digits and underscores, at most 63." });
}

/** The database holds tables of a version that this package does not know. */
export function newerSchema(found: number, known: number): PhasekitError<"NEWER_SCHEMA"> {
  return new PhasekitError("NEWER_SCHEMA", `The database has schema version ${String(found)}; this package knows ${String(known)}.`, { hint: "Update @phasekit/postgres on this machine." });
}

/** A migration that was applied is not the one this package has. */
export function changedMigration(version: number, name: string): PhasekitError<"CHANGED_MIGRATION"> {
  return new PhasekitError("CHANGED_MIGRATION", `Migration ${String(version)} "${name}" was applied with another content.`, { hint: "Somebody changed a released migration or the migration table; restore the package or the database." });
}

/** The database did not answer for as long as the caller had patience. */
export function databaseUnavailable(cause: unknown): PhasekitError<"DATABASE_UNAVAILABLE"> {
  return new PhasekitError("DATABASE_UNAVAILABLE", `The database does not answer: ${cause instanceof Error ? cause.message : String(cause)}.`, {
    hint: "Whether the last change happened is not known; send it again when the database is back: it happens at most once.",
    cause,
  });
}

/** An id that PostgreSQL cannot hold. */
export function unstorableId(id: string): PhasekitError<"INVALID_APPEND"> {
  return new PhasekitError("INVALID_APPEND", `The events for run ${JSON.stringify(id)} cannot be stored: its id has characters that PostgreSQL does not take.`, { hint: "Use ids without NUL characters and half surrogates." });
}

/** A subscription with this name is read by somebody else now. */
export function subscriptionTaken(name: string): PhasekitError<"SUBSCRIPTION_TAKEN"> {
  return new PhasekitError("SUBSCRIPTION_TAKEN", `Another reader took over the subscription "${name}".`, { hint: "Every reader of its own needs a name of its own." });
}
