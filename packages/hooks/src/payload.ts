import type { LooseObject } from "@phasekit/core/adapter";

/** A JSON object from outside: any member may be missing or of another type. */
export type Payload = LooseObject;

/** Drops members that are undefined. */
export function known<T extends object>(members: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };
}

/** Returns the value that JSON text stands for. Anything else, and text that is not JSON, comes back as it is. */
export function parsedIn(value: unknown): unknown {
  if (typeof value !== "string") return value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
}
