import type { Meaning, ToolCall, ToolResult } from "@phasekit/core";
import { createCallReader } from "../calls/read-call.ts";
import { readInput } from "../calls/tool-input.ts";

const read = createCallReader();

/** Reads one call as `reading()` does, without what depends on earlier calls. */
export function interpret({ tool, input }: ToolCall, result?: ToolResult): Meaning {
  return read({ tool, given: readInput(input) }, result);
}
