/** How a command ends; the list is closed, and scripts may rely on it. */
export const exitCodes = {
  /** It did what was asked. */
  ok: 0,
  /** It found what it was asked to look for: a failed gate, a broken contract, something wrong with the set-up. */
  findings: 1,
  /** It was called the wrong way. */
  usage: 2,
  /** There was nothing to read. */
  noData: 3,
  /** A mistake of ours. */
  internal: 4,
} as const;

/** One of the exit codes. */
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** Errors of our own that say something about the data; the others are about how the command was called. */
const NO_DATA: ReadonlySet<string> = new Set(["NO_LOGS", "NO_SUCH_RUN", "UNREADABLE_LOG", "CANNOT_READ", "EMPTY_LOG", "NO_DATABASE", "NO_TABLES"]);

/** The exit code for an error with a code. */
export function exitCodeOf(code: string): ExitCode {
  return NO_DATA.has(code) ? exitCodes.noData : exitCodes.usage;
}
