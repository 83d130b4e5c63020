import { PhasekitError } from "@phasekit/core";

/** The option `schema` is not a valid name. */
export function invalidSchema(schema: string): PhasekitError<"INVALID_OPTION"> {
  return new PhasekitError("INVALID_OPTION", `The option "schema" is wrong: "${schema}" is not a schema name.`, {
    hint: "Use at most 63 lower-case letters, digits and underscores, such as `phasekit`.",
  });
}

/** The secret that signs answers can be guessed. */
export function shortSecret(least: number): PhasekitError<"INVALID_OPTION"> {
  return new PhasekitError(
    "INVALID_OPTION",
    `The option "secret" is wrong: it has fewer than ${String(least)} characters.`,
    {
      hint: "Make one with `openssl rand -hex 16`.",
    },
  );
}

/** The database holds tables of a version that this package does not know. */
export function newerSchema(found: number, known: number): PhasekitError<"NEWER_SCHEMA"> {
  return new PhasekitError(
    "NEWER_SCHEMA",
    `The database has schema version ${String(found)}; this package knows ${String(known)}.`,
    { hint: "Update @phasekit/postgres on this machine." },
  );
}

/** A migration that was applied is not the one this package has. */
export function changedMigration(version: number, name: string): PhasekitError<"CHANGED_MIGRATION"> {
  return new PhasekitError(
    "CHANGED_MIGRATION",
    `Migration ${String(version)} "${name}" was applied with different content.`,
    { hint: "A released migration or the migration table was changed. Reinstall the package or restore the database." },
  );
}

/** The database did not answer within `patienceMs`. */
export function databaseUnavailable(cause: unknown): PhasekitError<"DATABASE_UNAVAILABLE"> {
  return new PhasekitError(
    "DATABASE_UNAVAILABLE",
    `The database does not answer: ${cause instanceof Error ? cause.message : String(cause)}.`,
    {
      hint: "The last change may or may not be stored. Send it again later: it is stored at most once.",
      cause,
    },
  );
}

/** An id that PostgreSQL cannot hold. */
export function unstorableId(id: string): PhasekitError<"INVALID_APPEND"> {
  return new PhasekitError(
    "INVALID_APPEND",
    `The events for run ${JSON.stringify(id)} cannot be stored: its id has characters that PostgreSQL cannot store.`,
    { hint: "Use ids without NUL characters and lone surrogates." },
  );
}

/** A subscription with this name has another reader now. */
export function subscriptionTaken(name: string): PhasekitError<"SUBSCRIPTION_TAKEN"> {
  return new PhasekitError("SUBSCRIPTION_TAKEN", `Another reader took over the subscription "${name}".`, {
    hint: "Give each reader its own name.",
  });
}
