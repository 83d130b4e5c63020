import type { Interpreter, Meaning } from "@phasekit/core";
import { commandOf, editedFiles, readInput, type ToolInput } from "../calls/tool-input.ts";
import { findLoosenedChecks } from "./loosened-checks.ts";
import { readDeliveries } from "./read-deliveries.ts";

/**
 * Interprets calls that deliver work: commits, pushes, pull requests, CI, and edits that loosen checks. Fills
 * `meaning.delivers` and `meaning.loosens` only, so it goes beside any other interpreter.
 *
 * @example
 * createRun({ interpret: [reading(), deliveryInterpreter()], policies: [pushed()] })
 */
export function deliveryInterpreter(): Interpreter {
  return {
    name: "delivery",
    version: "1",
    interpret: (call, _result, before) => {
      // The answer does not change what a call delivers.
      if (before?.delivers !== undefined || before?.loosens !== undefined)
        return { ...copied(before, "delivers"), ...copied(before, "loosens") };
      const input = readInput(call.input);
      const delivers = readDeliveries(commandIn(input));
      const loosens = findLoosenedChecks(editedFiles(input, pathsIn(input)));
      if (delivers.length === 0 && loosens.length === 0) return undefined;
      return { ...(delivers.length > 0 && { delivers }), ...(loosens.length > 0 && { loosens }) };
    },
  };
}

function copied(before: Meaning, member: "delivers" | "loosens"): Meaning {
  return before[member] === undefined ? {} : { [member]: before[member] };
}

const MAX_LINE = 65_536;

function commandIn(input: ToolInput): string {
  return (commandOf(input) ?? "").slice(0, MAX_LINE);
}

const PATHS = ["file_path", "path", "filePath", "filename", "file"];

function pathsIn(input: ToolInput): readonly string[] | undefined {
  if (typeof input !== "object") return undefined;
  const path = PATHS.map((key) => input[key]).find((value) => typeof value === "string");
  return typeof path === "string" ? [path] : undefined;
}
