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

/** Returns the value if it is text, otherwise "". */
export function textIn(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Returns the value if it is text with at least one character. */
export function nameIn(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** Returns the value if it is a finite number. */
export function numberIn(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

/** Returns the value if it is a list, otherwise an empty one. */
export function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as readonly unknown[]) : [];
}
