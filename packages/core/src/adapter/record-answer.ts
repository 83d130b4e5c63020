import type { NewFact, Usage } from "../facts/run-event.ts";
import type { RunPort } from "../run.ts";
import { shieldRun } from "./shield-run.ts";

/** A tool call of an answer, in no API's form. */
export interface AnsweredCall {
  readonly call: string;
  readonly tool: string;
  /** The arguments, read; the text itself when it is no JSON. */
  readonly input: unknown;
  /** Why the arguments cannot be read. */
  readonly problem?: string;
}

/** An answer of the model, in no API's form. */
export interface ModelAnswer {
  readonly model?: string;
  readonly usage?: Usage;
  readonly finishReason?: string;
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
 * Records an answer: the answer, its text, then every call it makes, before any of them runs. A host that learns of an
 * answer only after its calls names those that are over, so that they are not asked for again.
 */
export function recordAnswer(run: RunPort, answer: ModelAnswer, { durationMs, over }: { readonly durationMs?: number; readonly over?: ReadonlySet<string> } = {}): void {
  const { record, beforeTool } = shieldRun(run);
  const { text, calls, failure } = answer;
  if (failure !== undefined) {
    record({ type: "model.failed", inBody: true, ...failure, ...(answer.model !== undefined && { model: answer.model }) });
    return;
  }
  record(answerToFact(answer, durationMs));
  if (text !== "") record({ type: "message.sent", text });
  for (const { call, tool, input } of calls) if (over?.has(call) !== true) beforeTool({ call, tool, input });
}

function answerToFact({ model, usage, finishReason, text, calls }: ModelAnswer, durationMs: number | undefined): NewFact<"model.answered"> {
  return {
    type: "model.answered",
    ...(model !== undefined && { model }),
    ...(usage !== undefined && { usage }),
    ...(finishReason !== undefined && { finishReason }),
    ...(durationMs !== undefined && { durationMs }),
    textLength: text.length,
    toolCalls: calls.length,
  };
}

/** Usage with the members that are numbers; `undefined` when nothing is known. */
export function knownUsage(members: Partial<Readonly<Record<keyof Usage, unknown>>>): Usage | undefined {
  const known = Object.entries(members).filter(([, value]) => typeof value === "number" && Number.isFinite(value));
  return known.length === 0 ? undefined : Object.fromEntries(known);
}
