// Imported by the hook command: no imports but this.
import { type LooseObject, toObject } from "@phasekit/core/adapter";

/** Returns the object that a JSON text stands for; an empty one for any other text. */
export function parseObject(text: string): LooseObject {
  try {
    return toObject(JSON.parse(text));
  } catch {
    return {};
  }
}
