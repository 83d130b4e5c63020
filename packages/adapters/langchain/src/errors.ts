import { isGraphBubbleUp } from "@langchain/langgraph";
import { PhasekitError } from "@phasekit/core";

/** What a guarded tool throws when it is called without a tool call, and the run refuses it. */
export function toolRefused(text: string): PhasekitError<"TOOL_REFUSED"> {
  return new PhasekitError("TOOL_REFUSED", `The call was refused: ${text}`, { hint: "The run's log says which policy refused the call, in `tool.refused`." });
}

/** What was thrown first: LangChain puts an error into another for every middleware it passes. */
export function rootCause(error: unknown): unknown {
  let cause = error;
  while (isMiddlewareError(cause) && cause.cause !== undefined) cause = cause.cause;
  return cause;
}

/** Whether this is an error that came through any number of middlewares, none of which put its own in its place. */
export function isPassedOn(error: unknown, original: unknown): boolean {
  let cause = error;
  while (cause !== original && isMiddlewareError(cause)) cause = cause.cause;
  return cause === original;
}

/** Whether this is thrown to leave the graph (an interrupt, a command for the parent) and is no failure. A tool may throw anything, `null` too. */
export function leavesGraph(error: unknown): boolean {
  return error !== null && isGraphBubbleUp(error);
}

/** Whether LangChain says that a middleware threw this. */
export function isMiddlewareError(error: unknown): error is Error {
  return brandOf(error) === "MiddlewareError";
}

/** Whether LangChain says that a tool was called with wrong arguments. */
export function isInvocationError(error: unknown): error is Error {
  return brandOf(error) === "ToolInvocationError";
}

function brandOf(error: unknown): unknown {
  return error instanceof Error ? (error as { readonly "~brand"?: unknown })["~brand"] : undefined;
}
