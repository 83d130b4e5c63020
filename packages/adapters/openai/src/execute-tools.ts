import type { RunPort } from "@phasekit/core";
import { type AnsweredCall, failureToEvent, resultToEvent, shieldRun, systemClock } from "@phasekit/core/adapter";
import { answerOf, callIdsOf, recordResponse } from "./record-response.ts";
import { objectIn } from "./wire-json.ts";

/** Tool functions by tool name. The model gets a thrown error as the result of the call. */
export type ToolHandlers = Readonly<Record<string, (input: never, context: { readonly call: string }) => unknown>>;

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

/** Options for `executeTools()`. */
export interface ExecuteOptions {
  /** Approves a call with `true`, or denies it with a reason. A denial is recorded with the outcome "denied". */
  readonly approve?: (call: {
    readonly call: string;
    readonly tool: string;
    readonly input: unknown;
  }) => true | string | Promise<true | string>;
  /** @default the system clock */
  readonly clock?: () => number;
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
  { handlers, approve, clock = systemClock }: ExecuteOptions & { readonly handlers: ToolHandlers },
): Promise<Results<TResponse>> {
  const { calls } = answerOf(response);
  const ids = callIdsOf(response);
  const { attempt, beforeTool } = shieldRun(run);
  // A streamed answer is already recorded. The caller assembled another object from its chunks.
  if (!attempt("executeTools", () => calls.some(({ call }) => run.view.pending.has(call)), false))
    recordResponse(run, response);
  const isResponses = "output" in response;
  // Request permission for all calls up front: each is judged by the state of the run at the time of the answer.
  const asked = calls.map((call) => ({ call, answer: beforeTool(call) }));
  const texts = await Promise.all(
    asked.map(({ call, answer }) =>
      answer.allow ? make(run, call, { handlers, approve, clock }) : Promise.resolve(answer.text),
    ),
  );
  const results = texts.map((text, index): ChatToolMessage | ResponsesToolOutput => {
    const id = ids[index] ?? "";
    return isResponses
      ? { type: "function_call_output", call_id: id, output: text }
      : { role: "tool", tool_call_id: id, content: text };
  });
  return results as Results<TResponse>;
}

type CallContext = Required<Pick<ExecuteOptions, "clock">> & {
  readonly handlers: ToolHandlers;
  readonly approve: ExecuteOptions["approve"];
};

/** Makes one call, records its result and returns the text for the model. */
async function make(
  run: RunPort,
  { call, tool, input, problem }: AnsweredCall,
  { handlers, approve, clock }: CallContext,
): Promise<string> {
  const { record, attempt } = shieldRun(run);
  const subject = { call, tool };
  const deny = (output: string): boolean => record({ type: "tool.finished", ...subject, outcome: "denied", output });
  try {
    const approved = approve === undefined ? true : await approve({ call, tool, input });
    if (approved !== true) {
      deny(approved);
      return approved;
    }
  } catch (error) {
    // Without an approval the call is denied. The caller gets the error.
    deny(messageOf(error));
    throw error;
  }
  const started = clock();
  try {
    const handler = Object.hasOwn(handlers, tool) ? handlers[tool] : undefined;
    if (handler === undefined)
      throw new Error(`There is no tool "${tool}". Use one of: ${Object.keys(handlers).join(", ")}.`);
    if (problem !== undefined) throw new Error(`The arguments are not valid JSON: ${problem}`);
    const output = await handler(input as never, { call });
    if (output instanceof Error) throw output;
    // Serialize before recording: a result that cannot be serialized is an error.
    const text = textOf(output);
    attempt("resultToEvent", () => record(resultToEvent(subject, output, clock() - started)), false);
    return text;
  } catch (error) {
    attempt("failureToEvent", () => record(failureToEvent(subject, error, clock() - started)), false);
    return `Error: ${messageOf(error)}`;
  }
}

function messageOf(error: unknown): string {
  const { message } = objectIn(error);
  return typeof message === "string" ? message : String(error);
}

function textOf(output: unknown): string {
  if (typeof output === "string") return output;
  // The types do not say it, but `stringify` returns `undefined` for a function.
  const text: unknown = JSON.stringify(output);
  return typeof text === "string" ? text : "";
}
