import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";

export interface RequestRules {
  readonly token: string;
  readonly allowedOrigins: readonly string[];
}

/** Why a request is turned away, before anything of it is read. */
export interface RequestProblem {
  readonly status: 401 | 403;
  readonly text: string;
}

/** The port is left open: a forwarded one is as good as our own. */
const OWN_HOST = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/i;

/**
 * Whether a request comes from where it may. A page in a browser can send requests to this machine, under a name that
 * leads here (so the host is checked) and with the browser's own origin (so that is checked); it cannot know the token.
 */
export function checkRequest({ host, origin, authorization }: IncomingHttpHeaders, { token, allowedOrigins }: RequestRules): RequestProblem | undefined {
  if (!OWN_HOST.test(host ?? "")) return { status: 403, text: "The host is not this machine." };
  if (origin !== undefined && !allowedOrigins.includes(origin)) return { status: 403, text: "The origin is not allowed." };
  if (!isSame(authorization ?? "", `Bearer ${token}`)) return { status: 401, text: "A token is needed: Authorization: Bearer …" };
  return undefined;
}

/** Compares in the same time wherever the texts differ. */
function isSame(given: string, expected: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}
