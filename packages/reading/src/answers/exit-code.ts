import type { ToolResult } from "@phasekit/core";
import { isObjectText } from "../calls/tool-input.ts";
import { anyOf } from "../patterns.ts";
import { plainLines } from "./answer-text.ts";

/** A tool's result as text, with the exit code if any form of it has one. */
export interface ResultText {
  readonly text: string;
  readonly exitCode: number | undefined;
  /** The result itself says that the call failed: `success: false`, `isError: true`. */
  readonly failed: boolean;
}

type Fields = Readonly<Record<string, unknown>>;

const CODES = [
  "exitCode",
  "exit_code",
  "returncode",
  "returnCode",
  "return_code",
  "exit",
  "code",
  "status",
  "exitStatus",
  "statusCode",
];
const TEXTS = [
  "stdout",
  "stderr",
  "output",
  "content",
  "text",
  "result",
  "message",
  "aggregated_output",
  "formatted_output",
  "interleaved_output",
];
const INNER = ["metadata", "extras", "details", "data", "result", "output"];
const MAX_PARSED = 262_144;
const MAX_DEPTH = 4;
const MAX_ITEMS = 16;

/** The parts of a result, before its texts are read. */
interface ResultParts {
  readonly texts: readonly string[];
  readonly exitCode: number | undefined;
  readonly failed: boolean;
}

const NOTHING: ResultParts = { texts: [], exitCode: undefined, failed: false };

/**
 * Reads text and exit code from whatever a host hands over: an object with `exitCode`, `returncode` or `status` and
 * `stdout` or `content`, JSON in a text, or a text in which the agent's own shell tool has written the code down.
 */
export function readResult({ output, exitCode }: Pick<ToolResult, "output" | "exitCode">): ResultText {
  const { texts, exitCode: found, failed } = readValue(output, 0);
  return { text: joined(texts), exitCode: exitCode ?? found ?? firstCode(texts), failed };
}

/** The text of a result alone. */
export function textOf({ output }: Pick<ToolResult, "output">): string {
  return joined(readValue(output, 0).texts);
}

function joined(texts: readonly string[]): string {
  return texts.length === 1 ? (texts[0] ?? "") : texts.filter((text) => text !== "").join("\n");
}

function readValue(value: unknown, depth: number): ResultParts {
  if (typeof value === "string") return readText(value, depth);
  if (typeof value !== "object" || value === null || depth > MAX_DEPTH) return NOTHING;
  if (Array.isArray(value)) return together(value.slice(0, MAX_ITEMS).map((item) => readValue(item, depth + 1)));
  const fields = value as Fields;
  const parts: ResultParts[] = [];
  for (const key of TEXTS) if (Object.hasOwn(fields, key)) parts.push(readValue(fields[key], depth + 1));
  const { texts, exitCode } = together(parts);
  return {
    texts,
    exitCode: codeOf(fields) ?? innerCode(fields) ?? exitCode,
    failed:
      fields["success"] === false ||
      fields["ok"] === false ||
      fields["isError"] === true ||
      fields["is_error"] === true,
  };
}

function together(parts: readonly ResultParts[]): ResultParts {
  const [only] = parts;
  if (only === undefined || parts.length === 1) return only ?? NOTHING;
  return {
    texts: parts.flatMap(({ texts }) => texts),
    exitCode: parts.find((part) => part.exitCode !== undefined)?.exitCode,
    failed: false,
  };
}

function codeOf(fields: Fields): number | undefined {
  for (const key of CODES) {
    const code = fields[key];
    if (typeof code === "number" && Number.isInteger(code) && Object.hasOwn(fields, key)) return code;
    if (typeof code === "string" && key !== "code" && key !== "status" && /^-?\d{1,4}$/.test(code)) return Number(code);
  }
  return undefined;
}

function innerCode(fields: Fields): number | undefined {
  for (const key of INNER) {
    const inner = fields[key];
    const code =
      typeof inner === "object" && inner !== null && !Array.isArray(inner) ? codeOf(inner as Fields) : undefined;
    if (code !== undefined) return code;
  }
  return undefined;
}

function readText(text: string, depth: number): ResultParts {
  if (
    depth < MAX_DEPTH &&
    text.length <= MAX_PARSED &&
    isObjectText(text) &&
    /"(?:exit_?code|returncode|stdout)"/i.test(text)
  ) {
    try {
      return readValue(JSON.parse(text), depth + 1);
    } catch {
      // Not JSON after all: a program may print a brace.
    }
  }
  return { texts: [plainLines(text)], exitCode: undefined, failed: false };
}

// Where the shell tools of the known agents write the code: before the output (Claude Code, Codex, mini-swe-agent) …
const AT_START = anyOf(
  "m",
  /^(?:Error: )?Exit code:? (-?\d+)\b/,
  /^Process exited with code (-?\d+)\b/,
  /<returncode>(-?\d+)<\/returncode>/,
  /^(?:Command|Execution) failed with exit code:? (-?\d+)/,
  /^exit_code[:=] ?(-?\d+)\b/,
);
// … or behind it (OpenHands, Copilot, Gemini CLI, pi, Cline).
const AT_END = anyOf(
  "im",
  /\[(?:The command completed|Command finished|Command completed) with exit code (-?\d+)\.?\]/,
  /<(?:exited|shellId: \S+ completed) with exit code (-?\d+)>/,
  /^(?:Command|Process) exited with code (-?\d+)/,
  /^Exit Code: (-?\d+)/,
  /^\(?exit[ _]code[:=]? ?(-?\d+)\)?$/,
);
const EDGE = 400;

function firstCode(texts: readonly string[]): number | undefined {
  for (const text of texts) {
    const code = writtenCode(text);
    if (code !== undefined) return code;
  }
  return undefined;
}

/** The code that a text has at one of its ends, in the words of a shell tool. */
export function writtenCode(text: string): number | undefined {
  const found =
    text.length <= EDGE
      ? codeIn(text, AT_START, AT_END)
      : (codeIn(text.slice(0, EDGE), AT_START) ?? codeIn(text.slice(-EDGE), AT_END));
  const code = found?.slice(1).find((group: string | undefined) => group !== undefined);
  return code === undefined ? (LEAVES_OUT_ZERO.test(text.slice(-EDGE)) ? 0 : undefined) : Number(code);
}

/** The end of an answer of Gemini CLI's shell, which names a code or a signal only if there was one. */
const LEAVES_OUT_ZERO = /^(?!Signal: |Error: |Exit Code: )[^\n]*\nProcess Group PGID: \d+\s*$/m;

/** Every form names a code and says "exit" or is an element; most outputs do neither. */
function codeIn(edge: string, pattern: RegExp, otherwise?: RegExp): RegExpExecArray | null {
  return edge.includes("ode") && (edge.includes("xit") || edge.includes("<returncode>"))
    ? (pattern.exec(edge) ?? otherwise?.exec(edge) ?? null)
    : null;
}

/** The status a line printed last, as `exit: 1` or `1`, after `; echo "exit: $?"`. */
export function printedStatus(output: string): number | undefined {
  const found = /(?:^|[^\d.])(\d{1,3})\)?\s*$/.exec(
    output
      .slice(-EDGE)
      .replace(/\n\[[^\]]*\]/g, "")
      .trimEnd(),
  );
  return found?.[1] === undefined ? undefined : Number(found[1]);
}
