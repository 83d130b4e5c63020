import type { ToolResult } from "@phasekit/core";

/** A tool's result as text, with the exit code if any form of it told one. */
export interface ResultText {
  readonly text: string;
  readonly exitCode: number | undefined;
  /** The result itself says that the call failed: `success: false`, `isError: true`. */
  readonly failed: boolean;
}

const CODES = ["exitCode", "exit_code", "returncode", "returnCode", "return_code", "exit", "code", "status", "exitStatus"];
const TEXTS = ["stdout", "stderr", "output", "content", "text", "result", "message", "aggregated_output", "formatted_output", "interleaved_output"];
const INNER = ["metadata", "extras", "details", "data", "result", "output"];
const MAX_PARSED = 262_144;
const MAX_DEPTH = 4;

/**
 * Reads text and exit code from whatever a host hands over: an object with `exitCode`, `returncode` or `status` and
 * `stdout` or `content`, JSON in a text, or a text in which the agent's own shell tool has written the code down.
 */
export function readResult({ output, exitCode }: Pick<ToolResult, "output" | "exitCode">): ResultText {
  const found = readValue(output, 0);
  return { ...found, exitCode: exitCode ?? found.exitCode };
}

function readValue(value: unknown, depth: number): ResultText {
  if (typeof value === "string") return readText(value, depth);
  if (typeof value !== "object" || value === null || depth > MAX_DEPTH) return { text: "", exitCode: undefined, failed: false };
  if (Array.isArray(value)) {
    const parts = value.slice(0, 16).map((item) => readValue(item, depth + 1));
    return { text: parts.map(({ text }) => text).join("\n"), exitCode: parts.find((part) => part.exitCode !== undefined)?.exitCode, failed: false };
  }
  const fields = value as Readonly<Record<string, unknown>>;
  const parts = TEXTS.flatMap((key) => (Object.hasOwn(fields, key) ? [readValue(fields[key], depth + 1)] : []));
  return {
    text: parts.map(({ text }) => text).filter((text) => text !== "").join("\n"),
    exitCode: codeOf(fields) ?? innerCode(fields) ?? parts.find((part) => part.exitCode !== undefined)?.exitCode,
    failed: fields["success"] === false || fields["isError"] === true || fields["is_error"] === true,
  };
}

function codeOf(fields: Readonly<Record<string, unknown>>): number | undefined {
  for (const key of CODES) {
    const code = Object.hasOwn(fields, key) ? fields[key] : undefined;
    if (typeof code === "number" && Number.isInteger(code)) return code;
  }
  return undefined;
}

function innerCode(fields: Readonly<Record<string, unknown>>): number | undefined {
  for (const key of INNER) {
    const inner = Object.hasOwn(fields, key) ? fields[key] : undefined;
    const code = typeof inner === "object" && inner !== null && !Array.isArray(inner) ? codeOf(inner as Readonly<Record<string, unknown>>) : undefined;
    if (code !== undefined) return code;
  }
  return undefined;
}

function readText(text: string, depth: number): ResultText {
  if (depth < MAX_DEPTH && text.length <= MAX_PARSED && /^\s*\{/.test(text.slice(0, 20)) && /"(?:exit_?code|returncode|stdout)"/i.test(text)) {
    try {
      return readValue(JSON.parse(text), depth + 1);
    } catch {
      // Not JSON after all: a program may print a brace.
    }
  }
  return { text, exitCode: writtenCode(text), failed: false };
}

// Where the shell tools of the known agents write the code: before the output (Claude Code, Codex, mini-swe-agent) …
const AT_START = /^(?:Error: )?Exit code:? (-?\d+)\b|^Process exited with code (-?\d+)\b|<returncode>(-?\d+)<\/returncode>/m;
// … or behind it (OpenHands, Copilot, Gemini CLI, pi).
const AT_END =
  /\[(?:The command completed|Command finished|Command completed) with exit code (-?\d+)\.?\]|<(?:exited|shellId: \S+ completed) with exit code (-?\d+)>|^(?:Command|Process) exited with code (-?\d+)|^Exit Code: (-?\d+)/m;
const EDGE = 400;

function writtenCode(text: string): number | undefined {
  const found = AT_START.exec(text.slice(0, EDGE)) ?? AT_END.exec(text.slice(-EDGE));
  const code = found?.slice(1).find((group: string | undefined) => group !== undefined);
  return code === undefined ? undefined : Number(code);
}

/** The status a line printed last, as `exit: 1` or `1`, after `; echo "exit: $?"`. */
export function printedStatus(output: string): number | undefined {
  const found = /(?:^|[^\d.])(\d{1,3})\)?\s*$/.exec(output.slice(-EDGE).replace(/\n\[[^\]]*\]/g, "").trimEnd());
  return found?.[1] === undefined ? undefined : Number(found[1]);
}
