/** A JSON object from outside: any member may be missing or of another type. */
export type Payload = Readonly<Record<string, unknown>>;

/** The object in a value; an empty one if it is not an object. */
export function objectIn(value: unknown): Payload {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Payload) : {};
}

/** The text in a value; empty if it is not text. */
export function textIn(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** The text in a value, unless it is empty. */
export function nameIn(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** The finite number in a value. */
export function numberIn(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

/** The list in a value; an empty one if it is not a list. */
export function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as readonly unknown[]) : [];
}

/** Drops members that are undefined. */
export function known<T extends object>(members: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };
}

/** The value as an object, also when it is JSON text. */
export function parsedIn(value: unknown): unknown {
  if (typeof value !== "string") return value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
}
