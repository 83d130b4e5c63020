import { contentText, isObject, known, numberIn, objectIn, readResult, textIn } from "../loose-json.ts";

/** What a tool of Codex gave: versions write the exit code as JSON, or as lines above the output. */
export function shellResult(given: unknown): { readonly output: unknown; readonly outcome: "ok" | "error"; readonly exitCode?: number; readonly durationMs?: number } {
  const value = readResult(given);
  if (isObject(value) && (value["metadata"] !== undefined || typeof value["output"] === "string" || value["success"] !== undefined)) {
    const { exit_code: code, duration_seconds: seconds } = objectIn(value["metadata"]);
    const durationMs = numberIn(seconds) === undefined ? undefined : Math.round(Number(seconds) * 1000);
    return { output: value["output"] ?? value["content"] ?? value, outcome: value["success"] === false ? "error" : "ok", ...known({ exitCode: numberIn(code), durationMs }) };
  }
  const text = typeof given === "string" ? given : contentText(given);
  if (text === "") return { output: given, outcome: "ok" };
  const head = text.slice(0, 400);
  const code = /^(?:Process exited with code|Exit code:) (-?\d+)/m.exec(head)?.[1];
  const seconds = /^Wall time: ([\d.]+) seconds/m.exec(head)?.[1];
  const body = code === undefined && seconds === undefined ? -1 : text.indexOf("\nOutput:\n");
  const failed = /^(?:failed to |error: |execution error|exec_command failed|apply_patch verification failed|unsupported call|Err\()/i.test(head);
  const isDenied = /rejected by user|exec command rejected/i.test(head);
  return {
    output: body === -1 ? text : text.slice(body + "\nOutput:\n".length),
    outcome: isDenied || failed ? "error" : "ok",
    ...known({ exitCode: code === undefined ? undefined : Number(code), durationMs: seconds === undefined ? undefined : Math.round(Number(textIn(seconds)) * 1000) }),
  };
}
