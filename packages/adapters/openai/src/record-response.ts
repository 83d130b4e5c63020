import type { RunPort } from "@phasekit/core";
import { failureToModelFact, type ModelAnswer, recordAnswer, shieldRun } from "@phasekit/core/adapter";
import { chatToAnswer } from "./chat-answer.ts";
import { responseToAnswer } from "./responses-answer.ts";
import { nameIn, objectIn, type WireObject } from "./wire-json.ts";

const recorded = new WeakMap<object, WeakSet<RunPort>>();
/** The answer a run was told last, and its turn: servers there are give every answer the same id. */
const lastTold = new WeakMap<RunPort, { readonly id: string; readonly turn: number }>();

/** An answer of either API as one form. Calls without an id, or with that of another, get one of their own. */
export function answerOf(response: unknown): ModelAnswer {
  const object = objectIn(response);
  const answer = isResponse(object) ? responseToAnswer(object) : chatToAnswer(object);
  const taken = new Set<string>();
  const calls = answer.calls.map((made, index) => {
    const call = made.call === "" || taken.has(made.call) ? `${made.call === "" ? made.tool : made.call}#${index + 1}` : made.call;
    taken.add(call);
    return { ...made, call };
  });
  return { ...answer, calls };
}

/** The ids of the calls of an answer as they came, for the results that are sent back. */
export function callIdsOf(response: unknown): readonly string[] {
  const object = objectIn(response);
  return (isResponse(object) ? responseToAnswer(object) : chatToAnswer(object)).calls.map(({ call }) => call);
}

function isResponse(object: WireObject): boolean {
  return "output" in object || object["object"] === "response";
}

/**
 * Records a chat completion or a response, and with it the tool calls it makes. Recording the same answer again does
 * nothing, so a wrapped client and a loop of your own go together. One that is still made in the background is recorded when it is there.
 */
export function recordResponse<TResponse extends object>(run: RunPort, response: TResponse, { durationMs }: { readonly durationMs?: number } = {}): TResponse {
  shieldRun(run).attempt("recordResponse", () => {
    if (!isNews(run, response)) return;
    recordAnswer(run, answerOf(response), { ...(durationMs !== undefined && { durationMs }) });
    const id = nameIn(objectIn(response)["id"]);
    if (id !== undefined) lastTold.set(run, { id, turn: run.view.turn });
  }, undefined);
  return response;
}

/** Whether a run has not been told this answer, and it is one: a response that is made in the background comes later. */
function isNews(run: RunPort, response: object): boolean {
  const { id: given, status } = objectIn(response);
  if (status === "queued" || status === "in_progress") return false;
  const runs = recorded.get(response) ?? new WeakSet();
  recorded.set(response, runs);
  const id = nameIn(given);
  const { turn } = run.view;
  const last = lastTold.get(run);
  if (runs.has(run) || (id !== undefined && last?.id === id && last.turn === turn)) return false;
  runs.add(run);
  return true;
}

/** Records that a model call failed: with its status and code, or as given up by the host. */
export function recordFailure(run: RunPort, error: unknown, { durationMs }: { readonly durationMs?: number } = {}): void {
  const { record, attempt } = shieldRun(run);
  attempt("recordFailure", () => record({ ...failureToModelFact(error), ...(durationMs !== undefined && { durationMs }) }), false);
}
