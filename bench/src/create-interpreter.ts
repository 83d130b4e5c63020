import type { Interpreter } from "@phasekit/core";
import { reading, type ReadingOptions } from "@phasekit/reading";

/** The interpreter that `reading()` makes for one run. */
export function createInterpreter(options: ReadingOptions = {}): Interpreter {
  const source = reading(options);
  return typeof source === "function" ? source() : source;
}
