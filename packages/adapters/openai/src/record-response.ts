import type { RunPort } from "@phasekit/core";
import { failureToModelFact, type ModelAnswer, recordAnswer, shieldRun } from "@phasekit/core/adapter";
import { chatToAnswer } from "./chat-answer.ts";
import { responseToAnswer } from "./responses-answer.ts";
import { nameIn, objectIn } from "./wire-json.ts";

const recorded = new WeakMap<object, WeakSet<RunPort>>();
const lastId = new WeakMap<RunPort, string>();

/** An answer of either API as one form. */
export function answerOf(response: unknown): ModelAnswer {
  const object = objectIn(response);
  return "output" in object || object["object"] === "response" ? responseToAnswer(object) : chatToAnswer(object);
}

/**
 * Records a chat completion or a response, and with it the tool calls it makes. Recording the same answer again does
 * nothing, so a wrapped client and a loop of your own go together.
 */
export function recordResponse<TResponse extends object>(run: RunPort, response: TResponse, { durationMs }: { readonly durationMs?: number } = {}): TResponse {
  const runs = recorded.get(response) ?? new WeakSet();
  recorded.set(response, runs);
  const id = nameIn(objectIn(response)["id"]);
  if (runs.has(run) || (id !== undefined && lastId.get(run) === id)) return response;
  runs.add(run);
  if (id !== undefined) lastId.set(run, id);
  const { attempt } = shieldRun(run);
  attempt("recordResponse", () => recordAnswer(run, answerOf(response), { ...(durationMs !== undefined && { durationMs }) }), undefined);
  return response;
}

/** Records that a model call failed: with its status and code, or as given up by the host. */
export function recordFailure(run: RunPort, error: unknown, { durationMs }: { readonly durationMs?: number } = {}): void {
  const { record, attempt } = shieldRun(run);
  attempt("recordFailure", () => record({ ...failureToModelFact(error), ...(durationMs !== undefined && { durationMs }) }), false);
}
