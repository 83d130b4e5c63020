/** How retries are spaced. */
export interface RetryDelayOptions {
  /** @default 4000 */
  readonly baseMs?: number;
  /** @default 60000 */
  readonly maxMs?: number;
  /** Share of the delay that is added at most. @default 0.8 */
  readonly jitter?: number;
  /** Between 0 and 1, from the edge. @default 0: no jitter */
  readonly random?: number;
}

/** How long to wait before a retry: doubling from the base up to the maximum, `attempt` counted from 0. */
export function retryDelay(attempt: number, { baseMs = 4000, maxMs = 60_000, jitter = 0.8, random = 0 }: RetryDelayOptions = {}): number {
  const delay = Math.min(maxMs, baseMs * 2 ** attempt);
  return delay * (1 + jitter * random);
}

const SOCKETS = new Set(["ECONNRESET", "ECONNREFUSED", "ETIMEDOUT", "EPIPE", "ENOTFOUND", "EAI_AGAIN", "UND_ERR_SOCKET", "UND_ERR_CONNECT_TIMEOUT"]);

/** Whether trying again may help: an upstream or a line that failed, not a quota that is used up or a wrong request. */
export function isRetryable(error: unknown, depth = 0): boolean {
  if (typeof error !== "object" || error === null || depth > 4) return false;
  const { code, status, statusCode, type, message, name, cause, error: body } = error as Readonly<Record<string, unknown>>;
  if (code === "insufficient_quota" || type === "insufficient_quota") return false;
  const number = typeof status === "number" ? status : typeof statusCode === "number" ? statusCode : 0;
  if (number >= 500 || number === 429 || type === "server_error") return true;
  if (typeof code === "string" && SOCKETS.has(code)) return true;
  if (message === "terminated" || name === "AbortError") return true;
  return isRetryable(cause, depth + 1) || isRetryable(body, depth + 1);
}
