import { textIn } from "@phasekit/core/adapter";

/** Details of one thrown value, whatever library threw it. */
export interface ErrorDetails {
  readonly name: string;
  readonly message: string;
  readonly code: string;
  /** The provider's own word, such as `insufficient_quota` or `overloaded_error`. */
  readonly type: string;
  readonly status: number | undefined;
  readonly header: (name: string) => string | undefined;
  /** The reason the error carries, when it was thrown by someone who knows. */
  readonly reason: unknown;
}

const MAX_ERRORS = 20;
type Source = Readonly<Record<string, unknown>>;

/**
 * Returns the details of an error and of everything it wraps, outermost first: causes, aggregates, bodies, the last of
 * many tries.
 */
export function collectErrorDetails(error: unknown): readonly ErrorDetails[] {
  const found: ErrorDetails[] = [];
  const seen = new Set<unknown>();
  const queue: unknown[] = [error];
  while (queue.length > 0 && found.length < MAX_ERRORS) {
    const next = queue.shift();
    if (seen.has(next) || next === undefined || next === null) continue;
    seen.add(next);
    if (typeof next === "string") {
      found.push(detailsOf({ message: next }));
      const body = parseBody(next);
      if (body !== undefined) queue.push(body);
    } else if (typeof next === "object") {
      const source = next as Source;
      found.push(detailsOf(source));
      // The provider's own words are the most exact, so the body comes before the causes.
      queue.push(objectIn(source, "error"), parseBody(read(source, "responseBody")), read(source, "lastError"));
      const errors = read(source, "errors");
      if (Array.isArray(errors)) queue.push(...(errors as unknown[]).slice(0, 5));
      queue.push(
        read(source, "cause"),
        objectIn(source, "data"),
        objectIn(source, "originalError"),
        objectIn(source, "reason"),
      );
    } else if (typeof next === "number" || typeof next === "boolean") found.push(detailsOf({ message: String(next) }));
  }
  return found;
}

function detailsOf(source: Source): ErrorDetails {
  const status = [
    read(source, "status"),
    read(source, "statusCode"),
    read(objectIn(source, "response"), "status"),
  ].find((value) => typeof value === "number");
  const code = read(source, "code") ?? read(source, "lc_error_code");
  const headers = [
    read(source, "headers"),
    read(source, "responseHeaders"),
    read(objectIn(source, "response"), "headers"),
  ];
  return {
    name: nameOf(source),
    message: textIn(read(source, "message")).slice(0, 4096),
    code: typeof code === "number" ? String(code) : textIn(code),
    type: textIn(read(source, "type")),
    status:
      typeof status === "number" ? status : typeof code === "number" && code >= 400 && code < 600 ? code : undefined,
    header: (name) => headers.map((list) => headerOf(list, name)).find((value) => value !== undefined),
    reason: read(source, "reason"),
  };
}

/** Some libraries leave `name` at "Error" and tell their classes apart only by the class itself. */
function nameOf(source: Source): string {
  const name = textIn(read(source, "name"));
  if (name !== "Error" && name !== "") return name;
  const made = read(source, "constructor");
  return typeof made === "function" && made !== Object ? made.name : name;
}

function headerOf(headers: unknown, name: string): string | undefined {
  if (typeof headers !== "object" || headers === null) return undefined;
  const get = read(headers as Source, "get");
  try {
    const value: unknown = typeof get === "function" ? get.call(headers, name) : read(headers as Source, name);
    return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
  } catch {
    return undefined;
  }
}

/** A getter of a foreign error may throw; the other details are still read. */
function read(source: Source | undefined, key: string): unknown {
  try {
    return source?.[key];
  } catch {
    return undefined;
  }
}

function objectIn(source: Source, key: string): Source | undefined {
  const value = read(source, key);
  return typeof value === "object" && value !== null ? (value as Source) : undefined;
}

function parseBody(body: unknown): unknown {
  if (typeof body !== "string" || body.length > 100_000) return undefined;
  const start = body.indexOf("{");
  if (start < 0 || start > 20) return undefined;
  try {
    return JSON.parse(body.slice(start));
  } catch {
    return undefined;
  }
}
