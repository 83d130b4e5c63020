import type { PhasekitError } from "@phasekit/core";
import { tableOf } from "@phasekit/core/adapter";
import { cannotWrite, portInUse } from "./errors.ts";

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
    return portInUse(error.port, error.code, error);
  const problem = PROBLEMS[error.code];
  return problem === undefined ? undefined : cannotWrite(error.dest ?? error.path, `${problem} (${error.code})`, error);
}

function isSystemError(error: unknown): error is SystemError {
  return error instanceof Error && typeof (error as { readonly code?: unknown }).code === "string" && "errno" in error;
}
