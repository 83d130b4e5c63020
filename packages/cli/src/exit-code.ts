/** Exit codes of all commands. The list is closed; scripts may rely on it. */
export const exitCodes = {
  /** Success. */
  ok: 0,
  /** The command found a problem: a failed gate, an invalid contract, a broken setup. */
  findings: 1,
  /** Wrong usage: an unknown option, an invalid config or policy. */
  usage: 2,
  /** Nothing to read. */
  noData: 3,
  /** A bug in Phasekit. */
  internal: 4,
  /** Stopped by Ctrl-C before the end, as shells count it. */
  stopped: 130,
} as const;

/** One of the exit codes. */
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** Errors about missing or unreadable data; all others are usage errors. */
const NO_DATA: ReadonlySet<string> = new Set([
  "NO_LOGS",
  "NO_SUCH_RUN",
  "NO_MATCHING_LOGS",
  "UNREADABLE_LOG",
  "CANNOT_READ",
  "EMPTY_LOG",
  "NO_CONTRACTS",
  "NO_DATABASE",
  "NO_TABLES",
  "NO_SESSION",
]);

/** Returns the exit code for an error code. */
export function exitCodeOf(code: string): ExitCode {
  if (code === "READER_FAILED") return exitCodes.internal;
  return NO_DATA.has(code) ? exitCodes.noData : exitCodes.usage;
}
