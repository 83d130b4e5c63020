import { isObject, listIn, type LooseObject, textIn, toObject } from "@phasekit/core/adapter";

/** Returns the objects of an array, else an empty list. */
export function objectsIn(value: unknown): readonly LooseObject[] {
  return listIn(value).filter(isObject);
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
  if (!Array.isArray(content)) return textIn(toObject(content)["text"]);
  return content.map((part: unknown) => (typeof part === "string" ? part : textIn(toObject(part)["text"]))).join("");
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
