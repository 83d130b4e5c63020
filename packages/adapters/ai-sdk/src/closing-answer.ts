import type { RunPort } from "@phasekit/core";
import { shieldRun, toObject } from "@phasekit/core/adapter";
import type { Part } from "./model-parts.ts";

/** True for the closing call, for which Phasekit set `toolChoice` to "none". */
export function isClosing(run: RunPort, options: unknown): boolean {
  const { toolChoice } = toObject(options);
  return (
    toObject(toolChoice)["type"] === "none" &&
    shieldRun(run).attempt("closing", () => run.view.stopped !== undefined, false)
  );
}

/**
 * True if a part of a closing answer is kept. Some servers ignore `toolChoice: "none"`, and the SDK throws if they call
 * a tool: the closing turn would end with an error.
 */
export function isKeptAtClosing({ type, providerExecuted }: Part): boolean {
  return (
    providerExecuted === true ||
    !(type === "tool-call" || type === "tool-input-start" || type === "tool-input-delta" || type === "tool-input-end")
  );
}

/** Returns an answer, or the last part of a streamed one, without tool calls and with the finish reason "stop". */
export function asEnded(answer: Part): Part {
  const { finishReason, content } = answer;
  const isText = typeof finishReason === "string";
  const waits = (isText ? finishReason : toObject(finishReason)["unified"]) === "tool-calls";
  return {
    ...answer,
    ...(Array.isArray(content) && { content: content.map(toObject).filter(isKeptAtClosing) }),
    ...(waits && { finishReason: isText ? "stop" : { ...toObject(finishReason), unified: "stop" } }),
  };
}
