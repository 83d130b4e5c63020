import { type Fetch, host } from "./host.ts";
import { RefusedForGood } from "./send-queue.ts";

/** Where and how to send. */
export interface PostOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** Milliseconds until a request counts as failed. @default 10000 */
  readonly timeoutMs?: number;
  /** @default the runtime's own */
  readonly fetch?: Fetch;
}

/** Answers after which trying again may help. */
const RETRYABLE: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504]);

/**
 * Posts a body once: a text is JSON, bytes are protobuf. Rejects if it did not arrive, with `RefusedForGood` if trying
 * again is of no use.
 */
export async function post(
  url: string,
  body: string | Uint8Array<ArrayBuffer>,
  { headers = {}, timeoutMs = 10_000, fetch = host.fetch }: PostOptions,
): Promise<void> {
  if (fetch === undefined) throw new RefusedForGood("This runtime has no fetch: pass one as an option.");
  const timeout: unknown = host.AbortSignal?.timeout?.(timeoutMs);
  const { ok, status, text } = await fetch(url, {
    method: "POST",
    headers: { "content-type": typeof body === "string" ? "application/json" : "application/x-protobuf", ...headers },
    body,
    ...(timeout !== undefined && { signal: timeout as never }),
  }).then((response) => ({
    ok: response.ok,
    status: response.status,
    // The body is read in any case, so that the connection is free for the next request.
    text: response.text().catch(() => ""),
  }));
  const said = (await text).slice(0, 200);
  if (ok) return;
  const message = `${url} answered ${String(status)}${said === "" ? "" : `: ${said}`}`;
  throw RETRYABLE.has(status) ? new Error(message) : new RefusedForGood(message);
}
