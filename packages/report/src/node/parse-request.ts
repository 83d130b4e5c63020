import type { IncomingMessage } from "node:http";

/** A request in canonical form. */
export interface ParsedRequest {
  readonly method: "GET" | "POST";
  /** The decoded parts of the path; none for the page itself. */
  readonly path: readonly string[];
  readonly token: string | undefined;
}

/** Why a request is refused. */
export interface Refusal {
  readonly status: 400 | 401 | 403 | 404 | 405 | 415;
  readonly text: string;
}

/** Headers that affect access, so each may occur only once. */
const SINGLE = ["host", "origin", "x-phasekit-token", "content-type", "sec-fetch-site"];
const MAX_TARGET = 8192;

/**
 * Parses a request, for every route. Refuses non-canonical forms, such as `//`, dot segments, encoded letters, an
 * absolute url or two Host headers, because another check could read them differently. Ignores the query: nothing in a
 * url grants access.
 */
export function parseRequest(
  request: Pick<IncomingMessage, "method" | "url" | "headers" | "rawHeaders">,
  { hosts }: { readonly hosts: ReadonlySet<string> },
): ParsedRequest | Refusal {
  const names = request.rawHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase());
  const twice = SINGLE.find((name) => names.indexOf(name) !== names.lastIndexOf(name));
  if (twice !== undefined) return { status: 400, text: `The request has more than one ${twice} header.` };
  const { host, origin, "sec-fetch-site": site, "x-phasekit-token": token } = request.headers;
  if (host === undefined) return { status: 400, text: "The request has no Host header." };
  // Refuse other names that resolve to this machine (DNS rebinding).
  if (!hosts.has(host.toLowerCase())) return { status: 403, text: "This server does not serve this host name." };
  const isForeign = origin !== undefined && origin.toLowerCase() !== `http://${host.toLowerCase()}`;
  if (isForeign || (site !== undefined && site !== "same-origin" && site !== "none"))
    return { status: 403, text: "Requests from other origins are refused." };
  const path = parseTarget(request.url ?? "");
  if (path === undefined) return { status: 400, text: "The path is not in canonical form." };
  const { method } = request;
  if (method !== "GET" && method !== "POST")
    return { status: 405, text: "Use GET to read, or POST to answer a review." };
  return { method, path, token: typeof token === "string" ? token : undefined };
}

/** Returns the parts of a path; `undefined` if it is not in canonical form. */
function parseTarget(target: string): readonly string[] | undefined {
  if (target.length > MAX_TARGET || !/^\/[!-~]*$/.test(target) || /[\\#]/.test(target)) return undefined;
  const [path = ""] = target.split("?", 1);
  if (path === "/") return [];
  const parts = path.slice(1).split("/").map(decodePart);
  return parts.every((part) => part !== undefined) ? parts : undefined;
}

function decodePart(part: string): string | undefined {
  // An encoded letter, digit or -._~ is a second spelling of the same path.
  if (part === "" || /%(?:4[1-9a-f]|5[0-9a]|6[1-9a-f]|7[0-9a]|3\d|2[de]|5f|7e)/i.test(part)) return undefined;
  try {
    const decoded = decodeURIComponent(part);
    return decoded === "." || decoded === ".." || /\p{Cc}/u.test(decoded) ? undefined : decoded;
  } catch {
    return undefined;
  }
}
