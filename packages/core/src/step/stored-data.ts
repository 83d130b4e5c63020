import { clipJson } from "../text/clip.ts";
import { type Json, normalizeJson } from "../text/json.ts";

const MAX_DATA = 65_536;

/** A policy's own data as JSON of a bounded size; `undefined` stays. */
export function toStoredData(data: unknown): Json | undefined {
  return data === undefined ? undefined : clipJson(normalizeJson(data), MAX_DATA);
}
