import type { RunPort } from "@phasekit/core";
import { type AnsweredCall, failureFact, resultFact, shieldRun, systemClock } from "@phasekit/core/adapter";
import { answerOf, callIdsOf, recordResponse } from "./record-response.ts";
import { objectIn } from "./wire-json.ts";

/** What a tool does, by the tool's name. What it throws is told to the model as an error. */
export type ToolHandlers = Readonly<Record<string, (input: never, context: { readonly call: string }) => unknown>>;

/** A result for the next chat request. */
export interface ChatToolMessage {
  readonly role: "tool";
  readonly tool_call_id: string;
  readonly content: string;
}

/** A result for the next Responses request. */
export interface ResponsesToolOutput {
  readonly type: "function_call_output";
  readonly call_id: string;
  readonly output: string;
}

export interface ExecuteOptions {
  /** Your own say before a call is made: `true`, or why not. It is recorded as denied by the host. */
  readonly approve?: (call: { readonly call: string; readonly tool: string; readonly input: unknown }) => true | string | Promise<true | string>;
  /** @default the machine's clock */
  readonly clock?: () => number;
}

type Results<TResponse> = TResponse extends { readonly output: readonly unknown[] } ? ResponsesToolOutput[] : ChatToolMessage[];

/**
 * Makes the tool calls of an answer, in parallel, and gives a result for every one of them, in order. A call the run
 * refuses is not made: its result is the refusal.
 *
 * @example
 * messages.push(...(await executeTools(run, completion, { handlers: { read_file: ({ path }: { path: string }) => readFile(path, "utf8") } })));
 */
export async function executeTools<TResponse extends object>(
  run: RunPort,
  response: TResponse,
  { handlers, approve, clock = systemClock }: ExecuteOptions & { readonly handlers: ToolHandlers },
): Promise<Results<TResponse>> {
  const { calls } = answerOf(response);
  const ids = callIdsOf(response);
  const { attempt, beforeTool } = shieldRun(run);
  // A streamed answer was recorded as it came; what the caller put together from it is another object.
  if (!attempt("executeTools", () => calls.some(({ call }) => run.view.pending.has(call)), false)) recordResponse(run, response);
  const isResponses = "output" in response;
  // Every call is asked for before any is made: all of them see the run as it was when the model answered.
  const asked = calls.map((call) => ({ call, answer: beforeTool(call) }));
  const texts = await Promise.all(asked.map(({ call, answer }) => (answer.allow ? make(run, call, { handlers, approve, clock }) : Promise.resolve(answer.text))));
  const results = texts.map((text, index): ChatToolMessage | ResponsesToolOutput => {
    const id = ids[index] ?? "";
    return isResponses ? { type: "function_call_output", call_id: id, output: text } : { role: "tool", tool_call_id: id, content: text };
  });
  return results as Results<TResponse>;
}

type Making = Required<Pick<ExecuteOptions, "clock">> & { readonly handlers: ToolHandlers; readonly approve: ExecuteOptions["approve"] };

/** Makes one call, records what came of it, and gives the text for the model. */
async function make(run: RunPort, { call, tool, input, problem }: AnsweredCall, { handlers, approve, clock }: Making): Promise<string> {
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
    // Nobody said yes; what went wrong is the caller's to know.
    deny(messageOf(error));
    throw error;
  }
  const started = clock();
  try {
    const handler = Object.hasOwn(handlers, tool) ? handlers[tool] : undefined;
    if (handler === undefined) throw new Error(`There is no tool "${tool}". Use one of: ${Object.keys(handlers).join(", ")}.`);
    if (problem !== undefined) throw new Error(`The arguments are no valid JSON: ${problem}`);
    const output = await handler(input as never, { call });
    if (output instanceof Error) throw output;
    // What cannot be told to the model is no result.
    const text = textOf(output);
    attempt("resultFact", () => record(resultFact(subject, output, clock() - started)), false);
    return text;
  } catch (error) {
    attempt("failureFact", () => record(failureFact(subject, error, clock() - started)), false);
    return `Error: ${messageOf(error)}`;
  }
}

function messageOf(error: unknown): string {
  const { message } = objectIn(error);
  return typeof message === "string" ? message : String(error);
}

function textOf(output: unknown): string {
  if (typeof output === "string") return output;
  // A function has no JSON either, whatever the types say.
  const text: unknown = JSON.stringify(output);
  return typeof text === "string" ? text : "";
}
