import { setTimeout as delay } from "node:timers/promises";
import { databaseUnavailable } from "./errors.ts";

/**
 * Codes of a server that is not ready now: shutting down or starting (57P01 to 57P03), too many connections (53300),
 * read-only after a failover (25006), a rival in the way (40001, 40P01, 55P03), a time limit of the session (57014,
 * 57P05, 25P03, 25P04).
 */
const CODES: ReadonlySet<string> = new Set([
  "57P01",
  "57P02",
  "57P03",
  "53300",
  "25006",
  "40001",
  "40P01",
  "40003",
  "55P03",
  "57014",
  "57P05",
  "25P03",
  "25P04",
  "ECONNRESET",
  "ECONNREFUSED",
  "EPIPE",
  "ETIMEDOUT",
  "ENOTFOUND",
  "EHOSTUNREACH",
]);
const MESSAGES =
  /connection (?:terminated|error|ended)|timeout exceeded when trying to connect|query read timeout|client was closed/i;

/** The state of a failed query: it may have happened, or it can simply be sent again. */
function isConnectionProblem(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  // That of an aborted signal is a number.
  const code = String((error as { readonly code?: unknown }).code);
  return code.startsWith("08") || CODES.has(code) || MESSAGES.test(error.message);
}

/**
 * Asks again as long as the database does not answer, with growing pauses. `attempt` learns whether an earlier one may
 * have happened: it then has to find out by reading.
 * @throws DATABASE_UNAVAILABLE
 */
export async function withPatience<T>(
  patienceMs: number,
  attempt: (isUncertain: boolean) => Promise<T>,
  { isUncertain: wasUncertain = false } = {},
): Promise<T> {
  const end = performance.now() + patienceMs;
  for (let pause = 20, isUncertain = wasUncertain; ; pause = Math.min(1000, pause * 2)) {
    try {
      return await attempt(isUncertain);
    } catch (error) {
      if (!isConnectionProblem(error)) throw error;
      if (performance.now() + pause > end) throw databaseUnavailable(error);
      isUncertain = true;
      // A little chance keeps a fleet from coming back at the same moment.
      await delay(pause * (0.5 + Math.random()));
    }
  }
}
