import { errorToShape } from "../error-shape.ts";
import type { NewFact } from "../facts/run-event.ts";

type Finished = NewFact<"tool.finished">;

/** What a tool returned, raw, as a fact. A result that says `isError`, as those of MCP servers do, is an error. */
export function resultFact(call: { readonly call: string; readonly tool: string }, output: unknown, durationMs?: number): Finished {
  const { exitCode, isError } = membersOf(output);
  return {
    type: "tool.finished",
    ...call,
    outcome: isError === true ? "error" : "ok",
    output,
    ...(typeof exitCode === "number" && { exitCode }),
    ...(durationMs !== undefined && { durationMs }),
  };
}

/** What a tool threw, as a fact; the exit code and the output of a failed command are kept. */
export function failureFact(call: { readonly call: string; readonly tool: string }, error: unknown, durationMs?: number): Finished {
  const { exitCode, stdout, stderr, message } = membersOf(error);
  const streams = typeof stdout === "string" || typeof stderr === "string" ? { stdout, stderr } : undefined;
  return {
    type: "tool.finished",
    ...call,
    outcome: "error",
    output: streams ?? (typeof message === "string" ? message : String(error)),
    error: errorToShape(error),
    ...(typeof exitCode === "number" && { exitCode }),
    ...(durationMs !== undefined && { durationMs }),
  };
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}
