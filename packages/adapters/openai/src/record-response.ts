import type { RunPort } from "@phasekit/core";
import {
  defined,
  failureToModelEvent,
  type LooseObject,
  type ModelAnswer,
  recordAnswer,
  shieldRun,
  toObject,
} from "@phasekit/core/adapter";
import { chatToAnswer } from "./chat-answer.ts";
import { responseToAnswer } from "./responses-answer.ts";

/** Converts an answer of either API. Calls without a unique id get one. */
export function answerOf(response: unknown): ModelAnswer {
  const object = toObject(response);
  const answer = isResponse(object) ? responseToAnswer(object) : chatToAnswer(object);
  const taken = new Set<string>();
  const calls = answer.calls.map((made, index) => {
    const call =
      made.call === "" || taken.has(made.call) ? `${made.call === "" ? made.tool : made.call}#${index + 1}` : made.call;
    taken.add(call);
    return { ...made, call };
  });
  return { ...answer, calls };
}

/** The call ids as the model sent them, for the results that go back to it. */
export function callIdsOf(response: unknown): readonly string[] {
  const object = toObject(response);
  return (isResponse(object) ? responseToAnswer(object) : chatToAnswer(object)).calls.map(({ call }) => call);
}

function isResponse(object: LooseObject): boolean {
  return "output" in object || object["object"] === "response";
}

/**
 * Records a chat completion or a response with its tool calls. Recording the same answer again does nothing, so it is
 * safe in a loop with a wrapped client. A background response is recorded once it is complete.
 */
export function recordResponse<TResponse extends object>(
  run: RunPort,
  response: TResponse,
  { durationMs }: { readonly durationMs?: number } = {},
): TResponse {
  const { status } = toObject(response);
  if (status !== "queued" && status !== "in_progress")
    shieldRun(run).recordOnce(response, () => recordAnswer(run, answerOf(response), defined({ durationMs })));
  return response;
}

/** Records a failed model call with its status and code, or as aborted by the host. */
export function recordFailure(
  run: RunPort,
  error: unknown,
  { durationMs }: { readonly durationMs?: number } = {},
): void {
  const { record, attempt } = shieldRun(run);
  attempt("recordFailure", () => record({ ...failureToModelEvent(error), ...defined({ durationMs }) }), false);
}
