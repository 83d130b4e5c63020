import { defined } from "../text/defined.ts";
import type { NewEvent, Usage } from "../events/run-event.ts";
import { normalizeFinishReason } from "../run/finish-reason.ts";
import type { RunPort } from "../run/run.ts";
import { noteAnswer } from "./record-conversation.ts";
import { shieldRun } from "./shield-run.ts";

/** A tool call of an answer, in no API's form. */
export interface AnsweredCall {
  readonly call: string;
  readonly tool: string;
  /** The arguments, read; the text itself if it is not JSON. */
  readonly input: unknown;
  /** Why the arguments cannot be read. */
  readonly problem?: string;
}

/** An answer of the model, in no API's form. */
export interface ModelAnswer {
  readonly model?: string;
  readonly usage?: Usage;
  /** In the provider's words or in those of `normalizeFinishReason`. */
  readonly finishReason?: string;
  /** The model's reasoning, as far as the provider shows it. */
  readonly reasoning?: string;
  readonly text: string;
  readonly calls: readonly AnsweredCall[];
  /** The provider answered with success and put an error into the body. */
  readonly failure?: { readonly code?: string; readonly message?: string };
}

/** Reads the arguments of a call as the model wrote them. */
export function readCall(call: string, tool: string, text: string): AnsweredCall {
  try {
    return { call, tool, input: text.trim() === "" ? {} : (JSON.parse(text) as unknown) };
  } catch (error) {
    return { call, tool, input: text, problem: error instanceof Error ? error.message : String(error) };
  }
}

/**
 * Records an answer: the answer, its reasoning, its text, then every call it makes, before any of them runs. A host
 * that learns of an answer only after its calls names those that are over, so that they are not asked for again.
 */
export function recordAnswer(
  run: RunPort,
  answer: ModelAnswer,
  { durationMs, over }: { readonly durationMs?: number; readonly over?: Pick<ReadonlySet<string>, "has"> } = {},
): void {
  const { record, beforeTool } = shieldRun(run);
  const { text, reasoning = "", calls, failure } = answer;
  if (failure !== undefined) {
    record({
      type: "model.failed",
      inBody: true,
      ...failure,
      ...defined({ model: answer.model }),
    });
    return;
  }
  noteAnswer(run, answer);
  record(answerToEvent(answer, durationMs));
  if (reasoning !== "") record({ type: "model.reasoned", text: reasoning });
  if (text !== "") record({ type: "message.sent", text });
  for (const { call, tool, input } of calls) if (over?.has(call) !== true) beforeTool({ call, tool, input });
}

function answerToEvent(
  { model, usage, finishReason, text, calls }: ModelAnswer,
  durationMs: number | undefined,
): NewEvent<"model.answered"> {
  return {
    type: "model.answered",
    ...defined({ model, usage }),
    ...(finishReason !== undefined && { finishReason: plainFinishReason(finishReason) }),
    ...defined({ durationMs }),
    textLength: text.length,
    toolCalls: calls.length,
  };
}

/** A provider's word in Phasekit's vocabulary; a word that is not in the table stays, so that the log shows it. */
function plainFinishReason(word: string): string {
  const reason = normalizeFinishReason(word);
  return reason === "unknown" ? word : reason;
}
