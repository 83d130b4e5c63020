import { defined, isObject, type LooseObject, numberIn, toObject } from "@phasekit/core/adapter";
import { contentText, readResult } from "../../parse/loose-json.ts";

/** The result of a Codex tool. */
export interface CodexResult {
  readonly output: unknown;
  /** Absent if only the exit code tells. */
  readonly outcome?: "error";
  readonly exitCode?: number;
  readonly durationMs?: number;
  /** The command still runs: the session, or the cell of a script, to poll. The output then says so. */
  readonly running?: string;
}

/**
 * Reads the result of a Codex tool. Versions write the exit code as JSON or as lines above the output, and scripts
 * print what their commands returned.
 */
export function shellResult(given: unknown): CodexResult {
  const value = readResult(given);
  if (
    isObject(value) &&
    (value["metadata"] !== undefined || typeof value["output"] === "string" || value["success"] !== undefined)
  )
    return structuredResult(value);
  const text = typeof given === "string" ? given : contentText(given);
  if (text === "") return { output: given };
  const head = text.slice(0, 400);
  const script = /^Script (?:completed|failed|terminated|running with cell ID (\S+))/.exec(head);
  if (script !== null) return scriptResult(text, script);
  const code = /^(?:Process exited with code|Exit code:) (-?\d+)/m.exec(head)?.[1];
  const session = /^Process running with session ID (\S+)/m.exec(head)?.[1];
  const hasHead = code !== undefined || session !== undefined || WALL_TIME.test(head);
  const failed =
    /^(?:failed to |error: |execution error|exec_command failed|apply_patch verification failed|unsupported call|Err\()/i.test(
      head,
    );
  const isDenied = /rejected by user|exec command rejected|^Command blocked by \w+ hook/i.test(head);
  return {
    output: hasHead && session === undefined ? belowHead(text) : text,
    ...((isDenied || failed) && { outcome: "error" as const }),
    ...defined({
      exitCode: code === undefined ? undefined : Number(code),
      durationMs: wallTime(head),
      running: session === undefined ? undefined : `session ${session}`,
    }),
  };
}

function structuredResult(value: LooseObject): CodexResult {
  const { exit_code: code = value["exit_code"], duration_seconds: seconds = value["wall_time_seconds"] } = toObject(
    value["metadata"],
  );
  const session = value["session_id"];
  const isRunning = typeof session === "number" || typeof session === "string";
  return {
    output: isRunning ? value : (value["output"] ?? value["content"] ?? value),
    ...(value["success"] === false && { outcome: "error" as const }),
    ...defined({
      exitCode: numberIn(code),
      durationMs: numberIn(seconds) === undefined ? undefined : Math.round(Number(seconds) * 1000),
      running: isRunning ? `session ${String(session)}` : undefined,
    }),
  };
}

/** A script that prints nothing but the result of its command is read as that result. */
function scriptResult(text: string, [head, cell]: RegExpExecArray): CodexResult {
  if (cell !== undefined) return { output: text, running: `cell ${cell}` };
  const body = belowHead(text);
  const inner = readResult(body.trim());
  if (isObject(inner) && typeof inner["output"] === "string") return structuredResult(inner);
  return { output: body, ...(head.endsWith("failed") && { outcome: "error" as const }) };
}

const WALL_TIME = /^Wall time:? ([\d.]+) seconds/m;

function wallTime(head: string): number | undefined {
  const seconds = WALL_TIME.exec(head)?.[1];
  return seconds === undefined ? undefined : Math.round(Number(seconds) * 1000);
}

function belowHead(text: string): string {
  const body = text.indexOf("\nOutput:\n");
  return body === -1 ? text : text.slice(body + "\nOutput:\n".length);
}
