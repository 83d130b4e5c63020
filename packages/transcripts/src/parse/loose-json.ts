/** An object of a transcript: every member is unknown. */
export type LooseObject = Readonly<Record<string, unknown>>;

/** True for an object that is not an array. */
export function isObject(value: unknown): value is LooseObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the value if it is an object, else an empty object. */
export function objectIn(value: unknown): LooseObject {
  return isObject(value) ? value : {};
}

/** Returns the objects of an array, else an empty list. */
export function listIn(value: unknown): readonly LooseObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** Returns the value if it is a string, else "". */
export function textIn(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Returns the value if it is a non-empty string. */
export function nameIn(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** The value as a finite number. */
export function numberIn(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

/**
 * A time in milliseconds: a date as text, or a number of seconds, milliseconds, microseconds or nanoseconds since 1970.
 * A date that does not say its zone is taken as UTC, so that a log tells the same on every machine.
 */
export function timeIn(value: unknown): number | undefined {
  if (typeof value === "string" && value !== "") {
    // Nearly all say their zone with a Z, and every record has one.
    const parsed = value.endsWith("Z") ? Date.parse(value) : parseDate(value);
    return Number.isNaN(parsed) ? undefined : parsed;
  }
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? scaled(value) : undefined;
}

function parseDate(text: string): number {
  if (/^\d{9,20}$/.test(text)) return scaled(Number(text));
  return Date.parse(
    /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?$/.test(text) ? `${text.replace(" ", "T")}Z` : text,
  );
}

function scaled(number: number): number {
  if (number < 1e11) return Math.round(number * 1000);
  return number < 1e14 ? Math.round(number) : Math.round(number < 1e17 ? number / 1e3 : number / 1e6);
}

/** The text of a message's content: a text, or the texts of its parts. */
export function contentText(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return textIn(objectIn(content)["text"]);
  return content.map((part: unknown) => (typeof part === "string" ? part : textIn(objectIn(part)["text"]))).join("");
}

/** Arguments as a model wrote them: JSON is read, anything else stays as it is. */
export function readArguments(value: unknown): unknown {
  if (typeof value !== "string") return value ?? {};
  if (value.trim() === "") return {};
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
}

/** A result as a tool gave it: an object that was written as JSON is an object again. */
export function readResult(value: unknown): unknown {
  if (typeof value !== "string") return value;
  const first = value.trimStart()[0];
  if (first !== "{" && first !== "[") return value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
}

/** The members of an object that are known; the type of the object without `undefined`. */
export function known<T extends object>(members: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  // A loop: this is called for every event.
  const found: Record<string, unknown> = {};
  for (const name in members) if (members[name] !== undefined) found[name] = members[name];
  return found as never;
}
