import { type LooseObject, toObject } from "@phasekit/core/adapter";

/** A message or a hook payload of the SDK. Its versions omit and add members, so every member is unknown. */
export type Payload = LooseObject;

/** Returns the members of an array as objects, else an empty list. */
export function listIn(value: unknown): readonly Payload[] {
  return Array.isArray(value) ? value.map(toObject) : [];
}

/** Returns the value if it is a string, else "". */
export function textIn(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Returns the value if it is a non-empty string. */
export function nameIn(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** Returns the value if it is a finite number. */
export function numberIn(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}
