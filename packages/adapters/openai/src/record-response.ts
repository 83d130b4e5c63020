import type { RunPort } from "@phasekit/core";
import {
  defined,
  failureToModelEvent,
  type LooseObject,
  type ModelAnswer,
  nameIn,
  recordAnswer,
  shieldRun,
  toObject,
} from "@phasekit/core/adapter";
import { chatToAnswer } from "./chat-answer.ts";
import { responseToAnswer } from "./responses-answer.ts";

const recorded = new WeakMap<object, WeakSet<RunPort>>();
/** The last recorded answer per run, with its turn: some servers give every answer the same id. */
const lastRecorded = new WeakMap<RunPort, { readonly id: string; readonly turn: number }>();

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
  shieldRun(run).attempt(
    "recordResponse",
    () => {
      if (!isUnrecorded(run, response)) return;
      recordAnswer(run, answerOf(response), { ...defined({ durationMs }) });
      const id = nameIn(toObject(response)["id"]);
      if (id !== undefined) lastRecorded.set(run, { id, turn: run.view.turn });
    },
    undefined,
  );
  return response;
}

/** True if the run has no record of this answer and the answer is complete. */
function isUnrecorded(run: RunPort, response: object): boolean {
  const { id: given, status } = toObject(response);
  if (status === "queued" || status === "in_progress") return false;
  const runs = recorded.get(response) ?? new WeakSet();
  recorded.set(response, runs);
  const id = nameIn(given);
  const { turn } = run.view;
  const last = lastRecorded.get(run);
  if (runs.has(run) || (id !== undefined && last?.id === id && last.turn === turn)) return false;
  runs.add(run);
  return true;
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
