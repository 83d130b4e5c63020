import type { RunPort } from "@phasekit/core";
import { shieldRun } from "@phasekit/core/adapter";
import { type Part, partIn } from "./model-parts.ts";

/** Whether a model call is the closing one, for which Phasekit has chosen that no tools are used. */
export function isClosing(run: RunPort, options: unknown): boolean {
  const { toolChoice } = partIn(options);
  return partIn(toolChoice)["type"] === "none" && shieldRun(run).attempt("closing", () => run.view.stopped !== undefined, false);
}

/**
 * Whether a part of a closing answer is kept. Not every server heeds that no tools are to be used, and the SDK throws
 * where one does not: an agent that is only asked for its last words would end with an error.
 */
export function isKeptAtClosing({ type, providerExecuted }: Part): boolean {
  return providerExecuted === true || !(type === "tool-call" || type === "tool-input-start" || type === "tool-input-delta" || type === "tool-input-end");
}

/** An answer, or the part that ends a streamed one, as one that has ended by itself. */
export function asEnded(answer: Part): Part {
  const { finishReason, content } = answer;
  const isText = typeof finishReason === "string";
  const waits = (isText ? finishReason : partIn(finishReason)["unified"]) === "tool-calls";
  return {
    ...answer,
    ...(Array.isArray(content) && { content: content.map(partIn).filter(isKeptAtClosing) }),
    ...(waits && { finishReason: isText ? "stop" : { ...partIn(finishReason), unified: "stop" } }),
  };
}
