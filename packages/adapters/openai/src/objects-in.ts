import { listIn, type LooseObject, toObject } from "@phasekit/core/adapter";

/** Returns the members of an array as objects, else an empty list. Places in the array are kept. */
export function objectsIn(value: unknown): readonly LooseObject[] {
  return listIn(value).map(toObject);
}
