import type { Meaning, ToolResult } from "@phasekit/core";
import { readResult } from "../answers/exit-code.ts";
import { readTestOutput } from "./read-test-output.ts";

/** The meaning of a tool that runs tests: nothing is between the runner and its exit code. */
export function fromTests(named: Meaning, result: ToolResult | undefined): Meaning {
  if (result === undefined || result.outcome === "denied") return named;
  const { text, exitCode, failed } = readResult(result);
  const { conflict, ...tests } = readTestOutput({
    output: text,
    exitCode,
    trusted: true,
    failed: failed || result.outcome === "error",
  });
  return { ...named, tests, ...(conflict !== undefined && { notes: { conflict } }) };
}
