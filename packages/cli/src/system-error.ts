import { PhasekitError } from "@phasekit/core";

interface SystemError extends Error {
  readonly code: string;
  readonly path?: string;
  readonly port?: number;
  readonly syscall?: string;
}

const DENIED: ReadonlySet<string> = new Set([
  "EACCES",
  "EPERM",
  "EROFS",
  "ENOSPC",
  "EDQUOT",
  "EISDIR",
  "ENOTDIR",
  "EEXIST",
]);

/**
 * Converts an error of the operating system that a user can fix to one that says how; `undefined` if it is another
 * kind. What is left is a bug of ours.
 */
export function systemError(error: unknown): PhasekitError | undefined {
  if (!isSystemError(error)) return undefined;
  if (error.code === "EADDRINUSE" || (error.code === "EACCES" && error.syscall === "listen"))
    return new PhasekitError("PORT_IN_USE", `Cannot listen on port ${String(error.port ?? "")} — ${error.code}`, {
      hint: "Choose another port with `--port <n>`, or leave the option out to get a free one.",
      cause: error,
    });
  if (!DENIED.has(error.code)) return undefined;
  return new PhasekitError("CANNOT_WRITE", `Cannot write "${error.path ?? "the output"}" — ${error.code}`, {
    hint: "Check the permissions and the space of the folder, or choose another path, such as `--out <path>`.",
    cause: error,
  });
}

function isSystemError(error: unknown): error is SystemError {
  return error instanceof Error && typeof (error as { readonly code?: unknown }).code === "string" && "errno" in error;
}
