import { isGraphBubbleUp } from "@langchain/langgraph";
import { PhasekitError } from "@phasekit/core";

/** Thrown by a guarded tool that the run refuses and that was called without a tool call. */
export function toolRefused(text: string): PhasekitError<"TOOL_REFUSED"> {
  return new PhasekitError("TOOL_REFUSED", `The call was refused: ${text}`, {
    hint: "The `tool.refused` event in the run's log names the policy.",
  });
}

/** Returns the first error: LangChain wraps an error once per middleware it passes. */
export function rootCause(error: unknown): unknown {
  let cause = error;
  while (isMiddlewareError(cause) && cause.cause !== undefined) cause = cause.cause;
  return cause;
}

/** True if the error is the original one, wrapped by any number of middlewares but replaced by none. */
export function isWrapperOf(error: unknown, original: unknown): boolean {
  let cause = error;
  while (cause !== original && isMiddlewareError(cause)) cause = cause.cause;
  return cause === original;
}

/** True if it was thrown to leave the graph (an interrupt, a command for the parent), which is not a failure. */
export function leavesGraph(error: unknown): boolean {
  // A tool can throw anything, including `null`.
  return error !== null && isGraphBubbleUp(error);
}

/** True if LangChain marked the error as thrown by a middleware. */
export function isMiddlewareError(error: unknown): error is Error {
  return brandOf(error) === "MiddlewareError";
}

/** True if LangChain marked the error as a tool call with invalid arguments. */
export function isInvocationError(error: unknown): error is Error {
  return brandOf(error) === "ToolInvocationError";
}

function brandOf(error: unknown): unknown {
  return error instanceof Error ? (error as { readonly "~brand"?: unknown })["~brand"] : undefined;
}
