import { failureToModelEvent } from "@phasekit/core/adapter";

/** The beginning of the text the SDK puts in place of a failed call's result. */
const DEFAULT_TEXT = "An error occurred while running the tool";

const failures = new WeakMap<object, unknown>();

/**
 * An `errorFunction` for tools. By default the SDK hides what a tool threw: from the run, and in its newer versions
 * from the model. With this function the model reads the message, and the run records the error.
 *
 * @example
 * const edit = tool({ name: "edit", description, parameters, execute, errorFunction: reportToolError });
 */
export function reportToolError(_context: unknown, error: unknown, details?: { readonly toolCall?: unknown }): string {
  const call = details?.toolCall;
  if (typeof call === "object" && call !== null) failures.set(call, error);
  return `${DEFAULT_TEXT}: ${failureToModelEvent(error).message ?? ""}`;
}

/** The failure behind the output of a call, if it failed: the error, or the text in its place. */
export function failureOf(toolCall: unknown, output: unknown): { readonly error: unknown } | undefined {
  if (typeof toolCall === "object" && toolCall !== null && failures.has(toolCall))
    return { error: failures.get(toolCall) };
  return typeof output === "string" && output.startsWith(DEFAULT_TEXT) ? { error: new Error(output) } : undefined;
}
