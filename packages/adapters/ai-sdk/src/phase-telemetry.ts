import type { RunPort } from "@phasekit/core";
import {
  failureToEvent,
  failureToModelEvent,
  recordAnswer,
  resultToEvent,
  shieldRun,
  toObject,
} from "@phasekit/core/adapter";
import { partsToAnswer } from "./model-parts.ts";

/** The subset of the AI SDK 7 telemetry interface that we implement. */
export interface PhaseTelemetry {
  readonly onStepStart: (event: unknown) => void;
  readonly onLanguageModelCallEnd: (event: unknown) => void;
  readonly onToolExecutionEnd: (event: unknown) => void;
  readonly onStepError: (event: unknown) => void;
}

/**
 * Returns a telemetry integration for AI SDK 7 that only records, for one call or for all of them. It cannot nudge,
 * refuse or veto: a nudge is recorded as lost.
 *
 * @example
 * generateText({ model, tools, prompt, telemetry: { integrations: [phaseTelemetry(run)] } })
 */
export function phaseTelemetry(run: RunPort): PhaseTelemetry {
  const { attempt, beforeTurn, loseNudges, record } = shieldRun(run);
  return {
    onStepStart: () => {
      loseNudges(beforeTurn(), "telemetry only watches");
    },
    onLanguageModelCallEnd: (event) => {
      recordCall(run, event);
    },
    onToolExecutionEnd: (event) => {
      attempt(
        "onToolExecutionEnd",
        () => {
          const { toolCall, toolOutput, toolExecutionMs } = toObject(event);
          const { toolCallId, toolName } = toObject(toolCall);
          const { type, output, error } = toObject(toolOutput);
          const subject = { call: String(toolCallId), tool: String(toolName) };
          const duration = typeof toolExecutionMs === "number" ? toolExecutionMs : undefined;
          record(
            type === "tool-error" ? failureToEvent(subject, error, duration) : resultToEvent(subject, output, duration),
          );
        },
        undefined,
      );
    },
    onStepError: (event) => {
      attempt("onStepError", () => record(failureToModelEvent(toObject(event)["error"])), false);
    },
  };
}

/** Records an answer from a callback of the SDK, for a model call or a whole step. */
export function recordCall(run: RunPort, event: unknown): void {
  shieldRun(run).attempt(
    "recordCall",
    () => {
      const { content, finishReason, usage, modelId, performance, response } = toObject(event);
      const { responseTimeMs } = toObject(performance);
      const parts: readonly unknown[] = Array.isArray(content) ? content : [];
      const answer = partsToAnswer({
        content: parts,
        finishReason,
        usage,
        model: modelId ?? toObject(response)["modelId"],
      });
      // A whole step also has the results of its calls.
      const over = new Set(
        parts
          .map(toObject)
          .flatMap(({ type, toolCallId }) =>
            type === "tool-result" || type === "tool-error" ? [String(toolCallId)] : [],
          ),
      );
      recordAnswer(run, answer, { over, ...(typeof responseTimeMs === "number" && { durationMs: responseTimeMs }) });
    },
    undefined,
  );
}
