import type { RunPort } from "@phasekit/core";
import { failureFact, failureToModelFact, recordAnswer, resultFact, shieldRun } from "@phasekit/core/adapter";
import { partIn, partsToAnswer } from "./model-parts.ts";

/** A telemetry integration of AI SDK 7, as far as it is one. */
export interface PhaseTelemetry {
  readonly onStepStart: (event: unknown) => void;
  readonly onLanguageModelCallEnd: (event: unknown) => void;
  readonly onToolExecutionEnd: (event: unknown) => void;
  readonly onStepError: (event: unknown) => void;
}

/**
 * Watches without touching anything: a telemetry integration for AI SDK 7, for one call or for all of them. It cannot
 * nudge, refuse or veto, and says so: a nudge that would have been sent is recorded as lost.
 *
 * @example
 * generateText({ model, tools, prompt, telemetry: { integrations: [phaseTelemetry(run)] } })
 */
export function phaseTelemetry(run: RunPort): PhaseTelemetry {
  const { attempt, beforeTurn, record } = shieldRun(run);
  return {
    onStepStart: () => {
      for (const { nudge } of beforeTurn().nudges) record({ type: "nudge.lost", nudge, why: "telemetry only watches" });
    },
    onLanguageModelCallEnd: (event) => {
      recordCall(run, event);
    },
    onToolExecutionEnd: (event) => {
      attempt("onToolExecutionEnd", () => {
        const { toolCall, toolOutput, toolExecutionMs } = partIn(event);
        const { toolCallId, toolName } = partIn(toolCall);
        const { type, output, error } = partIn(toolOutput);
        const subject = { call: String(toolCallId), tool: String(toolName) };
        const duration = typeof toolExecutionMs === "number" ? toolExecutionMs : undefined;
        record(type === "tool-error" ? failureFact(subject, error, duration) : resultFact(subject, output, duration));
      }, undefined);
    },
    onStepError: (event) => {
      attempt("onStepError", () => record(failureToModelFact(partIn(event)["error"])), false);
    },
  };
}

/** Records an answer from what a callback of the SDK says about it: of a model call, or of a whole step. */
export function recordCall(run: RunPort, event: unknown): void {
  shieldRun(run).attempt("recordCall", () => {
    const { content, finishReason, usage, modelId, performance, response } = partIn(event);
    const { responseTimeMs } = partIn(performance);
    const parts: readonly unknown[] = Array.isArray(content) ? content : [];
    const answer = partsToAnswer({ content: parts, finishReason, usage, model: modelId ?? partIn(response)["modelId"] });
    // A whole step has the results of its calls beside them.
    const over = new Set(parts.map(partIn).flatMap(({ type, toolCallId }) => (type === "tool-result" || type === "tool-error" ? [String(toolCallId)] : [])));
    recordAnswer(run, answer, { over, ...(typeof responseTimeMs === "number" && { durationMs: responseTimeMs }) });
  }, undefined);
}
