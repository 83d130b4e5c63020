import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";

export interface RequestRules {
  readonly token: string;
  readonly allowedOrigins: readonly string[];
}

/** Reason to reject a request before its body is read. */
export interface RequestProblem {
  readonly status: 401 | 403;
  readonly text: string;
}

/** Any port matches, because ports can be forwarded. */
const OWN_HOST = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/i;

/**
 * Returns the problem with a request's headers. A web page can send requests to this machine: under a name that
 * resolves to it (so the host is checked) and with its own origin (so the origin is checked). It cannot know the token.
 */
export function checkRequest(
  { host, origin, authorization }: IncomingHttpHeaders,
  { token, allowedOrigins }: RequestRules,
): RequestProblem | undefined {
  if (!OWN_HOST.test(host ?? "")) return { status: 403, text: "The Host header does not name this machine." };
  if (origin !== undefined && !allowedOrigins.includes(origin))
    return { status: 403, text: "The origin is not allowed." };
  if (!isSame(authorization ?? "", `Bearer ${token}`))
    return { status: 401, text: "The request needs the header `Authorization: Bearer <token>`." };
  return undefined;
}

/** Compares in constant time. */
function isSame(given: string, expected: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}
