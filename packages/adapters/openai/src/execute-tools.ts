import type { RunPort } from "@phasekit/core";
import { type ExecuteOptions, makeCalls, shieldRun } from "@phasekit/core/adapter";
import { answerOf, callIdsOf, recordResponse } from "./record-response.ts";

/** A tool result for the next chat request. */
export interface ChatToolMessage {
  readonly role: "tool";
  readonly tool_call_id: string;
  readonly content: string;
}

/** A tool result for the next Responses request. */
export interface ResponsesToolOutput {
  readonly type: "function_call_output";
  readonly call_id: string;
  readonly output: string;
}

type Results<TResponse> = TResponse extends { readonly output: readonly unknown[] }
  ? ResponsesToolOutput[]
  : ChatToolMessage[];

/**
 * Makes the tool calls of an answer in parallel and returns one result per call, in order. If the run refuses a call,
 * it is not made and its result is the refusal.
 *
 * @example
 * const handlers = { read_file: ({ path }: { path: string }) => readFile(path, "utf8") };
 * messages.push(...(await executeTools(run, completion, { handlers })));
 */
export async function executeTools<TResponse extends object>(
  run: RunPort,
  response: TResponse,
  options: ExecuteOptions,
): Promise<Results<TResponse>> {
  const { calls } = answerOf(response);
  const ids = callIdsOf(response);
  // A streamed answer is already recorded. The caller assembled another object from its chunks.
  if (!shieldRun(run).attempt("executeTools", () => calls.some(({ call }) => run.view.pending.has(call)), false))
    recordResponse(run, response);
  const isResponses = "output" in response;
  const made = await makeCalls(run, calls, options);
  const results = made.map(({ text }, index): ChatToolMessage | ResponsesToolOutput => {
    const id = ids[index] ?? "";
    return isResponses
      ? { type: "function_call_output", call_id: id, output: text }
      : { role: "tool", tool_call_id: id, content: text };
  });
  return results as Results<TResponse>;
}
