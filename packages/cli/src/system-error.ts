import { PhasekitError } from "@phasekit/core";
import { tableOf } from "@phasekit/core/adapter";

interface SystemError extends Error {
  readonly code: string;
  readonly path?: string;
  /** The target of a rename. */
  readonly dest?: string;
  readonly port?: number;
  readonly syscall?: string;
}

/** The errors that a user can fix, in words. */
const PROBLEMS: Readonly<Record<string, string>> = tableOf({
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "the file system is read-only",
  ENOSPC: "no space left on the disk",
  EDQUOT: "your disk quota is used up",
  EISDIR: "it is a folder",
  ENOTDIR: "a part of the path is a file",
  EEXIST: "a file of this name is in the way",
  ELOOP: "its links form a circle",
  ENAMETOOLONG: "the name is too long",
  EMFILE: "too many files are open",
});

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
  const problem = PROBLEMS[error.code];
  if (problem === undefined) return undefined;
  const path = error.dest ?? error.path;
  return new PhasekitError(
    "CANNOT_WRITE",
    `Cannot write ${path === undefined ? "the output" : `"${path}"`} — ${problem} (${error.code})`,
    { hint: "Choose another path, or check its folder: `ls -ld <folder>`, `df <folder>`.", cause: error },
  );
}

function isSystemError(error: unknown): error is SystemError {
  return error instanceof Error && typeof (error as { readonly code?: unknown }).code === "string" && "errno" in error;
}
