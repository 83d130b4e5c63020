/** An object as it goes over the wire: APIs that call themselves compatible leave out or add what they like. */
export type WireObject = Readonly<Record<string, unknown>>;

/** The value as an object; an empty one when it is none. */
export function objectIn(value: unknown): WireObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as WireObject) : {};
}

/** The value as a list of objects; an empty one when it is none. */
export function listIn(value: unknown): readonly WireObject[] {
  return Array.isArray(value) ? value.map(objectIn) : [];
}

/** The value as a text; an empty one when it is none. */
export function textIn(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** The member as a text, if it is one that is not empty. */
export function nameIn(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
