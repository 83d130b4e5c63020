import { PhasekitError } from "@phasekit/core";

/** Two tools of one server have the same name: a call could mean either. */
export function duplicateTool(name: string): PhasekitError<"DUPLICATE_TOOL"> {
  return new PhasekitError("DUPLICATE_TOOL", `Two tools are called "${name}".`, { hint: "Give each tool of a server a name of its own." });
}

/** The address is not one of this machine alone. */
export function notLoopback(host: string): PhasekitError<"NOT_LOOPBACK"> {
  return new PhasekitError("NOT_LOOPBACK", `"${host}" is not an address of this machine alone.`, {
    hint: 'Use "127.0.0.1" or "::1". For other machines put a proxy with its own authentication in front.',
  });
}

/** A token somebody could guess. */
export function weakToken(): PhasekitError<"WEAK_TOKEN"> {
  return new PhasekitError("WEAK_TOKEN", "The token is shorter than 16 characters.", { hint: 'Make one with `crypto.randomBytes(24).toString("base64url")`.' });
}

/** The file that configures a server is missing, cannot be loaded or says something wrong. */
export function invalidServerFile(file: string, problems: readonly string[], cause?: unknown): PhasekitError<"INVALID_SERVER_FILE"> {
  return new PhasekitError("INVALID_SERVER_FILE", `${file} does not describe a server:\n${problems.map((problem) => `- ${problem}`).join("\n")}`, {
    hint: "Export `defineServer({ tools: [...] })` as default, or a function that gives it.",
    ...(cause !== undefined && { cause }),
  });
}
