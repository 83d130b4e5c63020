interface ErrorShape {
  readonly name?: string;
  readonly message: string;
  readonly code?: string;
  readonly status?: number;
}

/**
 * The shape of a thrown value: name, message, code, status and up to five causes. Nothing is cut: a redactor has to see
 * whole texts, and what is stored is clipped after it.
 */
export function errorToShape(error: unknown): ErrorShape & { readonly causes?: readonly ErrorShape[] } {
  try {
    return shapeWithCauses(error);
  } catch {
    // A getter of it throws.
    return { message: UNREADABLE };
  }
}

/** The stack of a thrown value, if it has one. */
export function stackOf(error: unknown): string | undefined {
  try {
    const { stack } = error as { readonly stack?: unknown };
    return typeof stack === "string" ? stack : undefined;
  } catch {
    return undefined;
  }
}

const UNREADABLE = "an error that cannot be read";

function shapeWithCauses(error: unknown): ReturnType<typeof errorToShape> {
  const causes: ErrorShape[] = [];
  const seen = new Set<unknown>([error]);
  const queue = inner(error);
  for (let next = queue.shift(); next !== undefined && causes.length < 5; next = queue.shift()) {
    if (seen.has(next)) continue;
    seen.add(next);
    causes.push(shapeOf(next));
    queue.push(...inner(next));
  }
  return { ...shapeOf(error), ...(causes.length > 0 && { causes }) };
}

function inner(error: unknown): unknown[] {
  if (typeof error !== "object" || error === null) return [];
  const { cause, errors } = error as { readonly cause?: unknown; readonly errors?: unknown };
  return [
    ...(Array.isArray(errors) ? (errors as unknown[]).slice(0, 5) : []),
    ...(cause === undefined || cause === null ? [] : [cause]),
  ];
}

function shapeOf(error: unknown): ErrorShape {
  if (typeof error !== "object" || error === null) return { message: String(error) };
  const { name, message, code, status, statusCode } = error as Readonly<Record<string, unknown>>;
  const number = typeof status === "number" ? status : statusCode;
  return {
    ...(typeof name === "string" && { name }),
    message: typeof message === "string" ? message : "",
    ...((typeof code === "string" || typeof code === "number") && { code: String(code) }),
    ...(typeof number === "number" && Number.isFinite(number) && { status: number }),
  };
}

/** A thrown value in one line, for an event that says something failed. Give no limit to one that is redacted later. */
export function messageOf(error: unknown, limit = 500): string {
  try {
    return (error instanceof Error ? `${error.name}: ${error.message}` : String(error)).slice(0, limit);
  } catch {
    return UNREADABLE;
  }
}

/** Only the name of an error: its message may quote what must not be stored. */
export function errorName(error: unknown): string {
  try {
    return error instanceof Error && /^[A-Za-z]{1,60}$/.test(error.name) ? error.name : "Error";
  } catch {
    return "Error";
  }
}
