import { errorToShape } from "../error-shape.ts";
import type { NewFact } from "../facts/run-event.ts";
import { isAbort } from "../is-abort.ts";

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

/** A failed model call as a fact: its status and code, or `aborted` when the host gave up. */
export function failureToModelFact(error: unknown): NewFact<"model.failed"> {
  const { message, ...shape } = errorToShape(error);
  if (isAbort(error)) return { type: "model.failed", code: "aborted", message };
  const { code = codeInBody(error), status } = shape;
  return { type: "model.failed", message, error: { message, ...shape }, ...(status !== undefined && { status }), ...(code !== undefined && { code }) };
}

/** Some libraries keep the provider's own words beside the error: `data.error.code`. */
function codeInBody(error: unknown): string | undefined {
  const { code, type } = membersOf(membersOf(membersOf(error)["data"])["error"]);
  return typeof code === "string" ? code : typeof type === "string" ? type : undefined;
}
