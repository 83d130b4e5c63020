import { PhasekitError } from "@phasekit/core";
import { defined } from "@phasekit/core/adapter";

/** Two tools of one server have the same name. */
export function duplicateTool(name: string): PhasekitError<"DUPLICATE_TOOL"> {
  return new PhasekitError("DUPLICATE_TOOL", `Two tools have the name "${name}".`, {
    hint: "Give each tool of a server a unique name.",
  });
}

/** The address is not a loopback address. */
export function notLoopback(host: string): PhasekitError<"NOT_LOOPBACK"> {
  return new PhasekitError("NOT_LOOPBACK", `"${host}" is not a loopback address.`, {
    hint: 'Use "127.0.0.1" or "::1". To serve other machines, put a proxy with its own authentication in front.',
  });
}

/** The token is short enough to guess. */
export function weakToken(): PhasekitError<"WEAK_TOKEN"> {
  return new PhasekitError("WEAK_TOKEN", "The token has fewer than 16 characters.", {
    hint: 'Generate one: `crypto.randomBytes(24).toString("base64url")`.',
  });
}

/** The file that describes a server is missing, cannot be loaded or is invalid. */
export function invalidServerFile(
  file: string,
  problems: readonly string[],
  cause?: unknown,
): PhasekitError<"INVALID_SERVER_FILE"> {
  return new PhasekitError(
    "INVALID_SERVER_FILE",
    `${file} does not define a server:\n${problems.map((problem) => `- ${problem}`).join("\n")}`,
    {
      hint: "Write `export default defineServer({ tools: [...] });`, or export a function that returns a definition.",
      ...defined({ cause }),
    },
  );
}
