import type { RunEvent } from "@phasekit/core";

/**
 * True if a call failed: its host says so, its command exited with another code than 0, its tests failed, or its answer
 * reads as a failure. Many hosts report a failing command as a call that worked.
 */
export function hasFailed({
  outcome,
  exitCode,
  output,
  meaning,
}: Extract<RunEvent, { type: "tool.finished" }>): boolean {
  if (outcome !== "ok" || meaning.tests?.verdict === "fail") return true;
  const code = exitCode ?? exitCodeIn(output);
  return code === undefined ? meaning.answer === "failure" : code !== 0;
}

function exitCodeIn(output: unknown): number | undefined {
  if (typeof output !== "object" || output === null) return undefined;
  const { exitCode, exit_code } = output as Readonly<Record<string, unknown>>;
  const code = exitCode ?? exit_code;
  return typeof code === "number" ? code : undefined;
}
