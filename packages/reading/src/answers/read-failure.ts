import type { ToolResult } from "@phasekit/core";
import { isObject } from "@phasekit/core/adapter";
import { isObjectText } from "../calls/tool-input.ts";
import { anyOf } from "../patterns.ts";
import { writtenCode } from "./exit-code.ts";

/** Answers up to this length are read for what they say about the call; a longer one is content. */
const SHORT = 600;
const MAX_PARSED = 65_536;

const BEGINS = anyOf(
  "",
  /^(?:<\w+>)?\s*\[?(?:ERROR|Error|error)\b[:\]!]/,
  /^\s*(?:The )?(?:[Ff]ile|[Dd]irectory|[Pp]ath)\b.{0,200}\b(?:not found|does not exist)/,
  /^\s*(?:\w+: )?.{0,200}: No such file or directory/,
  /^\s*ENOENT\b/,
  /^\s*(?:Failed|Unable) to \w+/,
  /^\s*Tool .{0,80} (?:failed|not found)/,
  /^\s*(?:Invalid|Unknown|Missing) (?:argument|parameter|tool|input|path)/,
);

/** True if the answer of a call that its host calls a success says that the call failed. */
export function saysFailed({ output }: Pick<ToolResult, "output">): boolean {
  if (typeof output === "string") {
    if (output.length <= MAX_PARSED && isObjectText(output) && MEMBERS.test(output)) return failedIn(parsed(output));
    return output.length <= SHORT && (BEGINS.test(output) || (writtenCode(output.trim()) ?? 0) !== 0);
  }
  return failedIn(output);
}

const MEMBERS = /"(?:success|ok|is_?error|error|exit_?code|returncode|status)"/i;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function failedIn(value: unknown): boolean {
  if (!isObject(value)) return false;
  const code = value["exitCode"] ?? value["exit_code"] ?? value["returncode"];
  if (typeof code === "number") return code !== 0;
  if (value["success"] === false || value["ok"] === false) return true;
  return (
    value["isError"] === true || value["is_error"] === true || isError(value["error"]) || isErrorWord(value["status"])
  );
}

/** `error: "…"`, `error: { … }`; not `error: null`, `error: []` or a number. */
function isError(error: unknown): boolean {
  return typeof error === "string" ? error.trim() !== "" : isObject(error) && Object.keys(error).length > 0;
}

function isErrorWord(status: unknown): boolean {
  return status === "error" || status === "failed" || status === "failure";
}
