/** An object about whose members nothing is known. */
export type LooseObject = Readonly<Record<string, unknown>>;

/** True for an object that is not a list. */
export function isObject(value: unknown): value is LooseObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the value if it is an object, otherwise an empty object. */
export function toObject(value: unknown): LooseObject {
  return isObject(value) ? value : {};
}
