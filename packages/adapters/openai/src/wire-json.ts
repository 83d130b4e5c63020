/** A JSON object from the API. Compatible servers omit and add members, so every member is unknown. */
export type WireObject = Readonly<Record<string, unknown>>;

/** Returns the value if it is an object, else an empty object. */
export function objectIn(value: unknown): WireObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as WireObject) : {};
}

/** Returns the members of an array as objects, else an empty list. */
export function listIn(value: unknown): readonly WireObject[] {
  return Array.isArray(value) ? value.map(objectIn) : [];
}

/** Returns the value if it is a string, else "". */
export function textIn(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Returns the value if it is a non-empty string. */
export function nameIn(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
