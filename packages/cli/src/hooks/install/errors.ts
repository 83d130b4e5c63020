import { PhasekitError } from "@phasekit/core";

/** An agent's settings are not a JSON object, so hooks cannot be added beside what is there. Nothing was changed. */
export function unreadableSettings(path: string, problem: string): PhasekitError<"UNREADABLE_SETTINGS"> {
  return new PhasekitError(
    "UNREADABLE_SETTINGS",
    `"${path}" cannot be read as JSON: ${problem}. Nothing was changed.`,
    {
      hint: "Take comments and trailing commas out of the file, then run the command again.",
    },
  );
}

/** An agent has no settings of this scope. */
export function unknownScope(agent: string, scope: string, known: readonly string[]): PhasekitError<"UNKNOWN_SCOPE"> {
  return new PhasekitError("UNKNOWN_SCOPE", `${agent} has no settings of scope "${scope}".`, {
    hint: `Use one of: ${known.join(", ")}.`,
  });
}

/** An agent cannot reach Phasekit in this way. */
export function unknownTransport(
  { agent, scope, transport }: { readonly agent: string; readonly scope: string; readonly transport: string },
  known: readonly string[],
): PhasekitError<"UNKNOWN_TRANSPORT"> {
  return new PhasekitError(
    "UNKNOWN_TRANSPORT",
    `${agent} cannot reach Phasekit by "${transport}" with settings of scope "${scope}".`,
    {
      hint: known.length === 0 ? `${agent} loads a file of Phasekit's own.` : `Use one of: ${known.join(", ")}.`,
    },
  );
}
