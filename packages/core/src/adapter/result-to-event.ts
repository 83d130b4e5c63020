import { defined } from "../text/defined.ts";
import { toObject } from "../text/loose-object.ts";
import { errorToShape } from "../text/error-shape.ts";
import type { NewEvent } from "../events/run-event.ts";
import { isAbort } from "../text/is-abort.ts";

type ResultEvent = NewEvent<"tool.finished">;

/**
 * Turns the raw result of a tool into an event. A result that says `isError`, as those of MCP servers do, is an error.
 */
export function resultToEvent(
  call: { readonly call: string; readonly tool: string },
  output: unknown,
  durationMs?: number,
): ResultEvent {
  const { exitCode, isError } = toObject(output);
  return {
    type: "tool.finished",
    ...call,
    outcome: isError === true ? "error" : "ok",
    output,
    ...(typeof exitCode === "number" && { exitCode }),
    ...defined({ durationMs }),
  };
}

/** Turns an error of a tool into an event; the exit code and the output of a failed command are kept. */
export function failureToEvent(
  call: { readonly call: string; readonly tool: string },
  error: unknown,
  durationMs?: number,
): ResultEvent {
  const { exitCode, stdout, stderr, message } = toObject(error);
  const streams = typeof stdout === "string" || typeof stderr === "string" ? { stdout, stderr } : undefined;
  return {
    type: "tool.finished",
    ...call,
    outcome: "error",
    output: streams ?? (typeof message === "string" ? message : String(error)),
    error: errorToShape(error),
    ...(typeof exitCode === "number" && { exitCode }),
    ...defined({ durationMs }),
  };
}

/** A failed model call as an event: its status and code, or `aborted` when the host gave up. */
export function failureToModelEvent(error: unknown): NewEvent<"model.failed"> {
  const { message, ...shape } = errorToShape(error);
  if (isAbort(error)) return { type: "model.failed", code: "aborted", message };
  const { code = codeInBody(error), status } = shape;
  return {
    type: "model.failed",
    message,
    error: { message, ...shape },
    ...defined({ status, code }),
  };
}

/** Some libraries keep the provider's own words beside the error: `data.error.code`. */
function codeInBody(error: unknown): string | undefined {
  const { code, type } = toObject(toObject(toObject(error)["data"])["error"]);
  return typeof code === "string" ? code : typeof type === "string" ? type : undefined;
}
