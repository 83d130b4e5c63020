import { listIn, type LooseObject, toObject } from "@phasekit/core/adapter";

/** Returns the members of an array as objects, else an empty list. */
export function objectsIn(value: unknown): readonly LooseObject[] {
  return listIn(value).map(toObject);
}
