import { timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";

/** Why a request is turned away. */
export interface Refusal {
  readonly status: 401 | 403 | 405 | 415;
  readonly text: string;
}

/**
 * Lets through only what comes from the page itself: the Host of this server (another name that resolves here is
 * refused), no foreign Origin, the token, and for writing a JSON body, which no plain form can send.
 */
export function checkRequest(request: IncomingMessage, { hosts, token, query }: {
  readonly hosts: ReadonlySet<string>;
  readonly token: string;
  readonly query: URLSearchParams;
}): Refusal | undefined {
  const { host = "", origin, "sec-fetch-site": site } = request.headers;
  if (!hosts.has(host.toLowerCase())) return { status: 403, text: "This host name is not served here." };
  if (origin !== undefined && !hosts.has(origin.replace(/^http:\/\//, "").toLowerCase())) return { status: 403, text: "Requests from other pages are not served." };
  if (typeof site === "string" && site !== "same-origin" && site !== "none") return { status: 403, text: "Requests from other pages are not served." };
  const reading = request.method === "GET";
  if (!reading && request.method !== "POST") return { status: 405, text: "Only reading, and answering a review, is possible." };
  // The address of the page carries the token; everything the page asks for carries it in a header, which another page cannot set.
  const header = request.headers["x-phasekit-token"];
  const given = request.url?.startsWith("/api/") === true ? header : (header ?? query.get("token") ?? undefined);
  if (typeof given !== "string" || !sameText(given, token)) return { status: 401, text: "The token is missing or wrong. Open the address that was printed." };
  if (!reading && !/^application\/json\b/.test(request.headers["content-type"] ?? "")) return { status: 415, text: "An answer is sent as JSON." };
  return undefined;
}

function sameText(given: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)];
  return a.length === b.length && timingSafeEqual(a, b);
}
