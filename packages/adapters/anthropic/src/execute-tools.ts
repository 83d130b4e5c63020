import type { RunPort } from "@phasekit/core";
import { type AnsweredCall, failureToEvent, resultToEvent, shieldRun, systemClock } from "@phasekit/core/adapter";
import { toObject } from "@phasekit/core/kit";
import { isCall, messageToAnswer } from "./message-answer.ts";
import { recordResponse } from "./record-response.ts";
import { messageOf } from "./tool-results.ts";
import { blocksOf, textIn } from "./wire-json.ts";

/** Tool functions by tool name. The model gets a thrown error as the result of the call. */
export type ToolHandlers = Readonly<Record<string, (input: never, context: { readonly call: string }) => unknown>>;

/** A tool result, for the content of the next user message. */
export interface ToolResultBlock {
  type: "tool_result";
  tool_use_id: string;
  content: string;
  is_error?: true;
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

/**
 * Makes the tool calls of a message in parallel and returns one result per call, in order: the content of the next user
 * message. If the run refuses a call, it is not made and its result is the refusal.
 *
 * @example
 * const handlers = { read_file: ({ path }: { path: string }) => readFile(path, "utf8") };
 * messages.push({ role: "user", content: await executeTools(run, message, { handlers }) });
 */
export async function executeTools(
  run: RunPort,
  message: object,
  { handlers, approve, clock = systemClock }: ExecuteOptions & { readonly handlers: ToolHandlers },
): Promise<ToolResultBlock[]> {
  const { calls } = messageToAnswer(message);
  // The ids as the model sent them.
  const ids = blocksOf(toObject(message)["content"])
    .filter(isCall)
    .map(({ id }) => textIn(id));
  const { attempt, beforeTool } = shieldRun(run);
  // A streamed message is already recorded. The caller assembled another object from its events.
  if (!attempt("executeTools", () => calls.some(({ call }) => run.view.pending.has(call)), false))
    recordResponse(run, message);
  // Request permission for all calls up front: each is judged by the state of the run at the time of the answer.
  const asked = calls.map((call) => ({ call, answer: beforeTool(call) }));
  const made = await Promise.all(
    asked.map(({ call, answer }) =>
      answer.allow
        ? make(run, call, { handlers, approve, clock })
        : Promise.resolve({ content: answer.text, failed: true }),
    ),
  );
  return made.map(({ content, failed }, index) => ({
    type: "tool_result",
    tool_use_id: ids[index] ?? "",
    content,
    ...(failed && { is_error: true }),
  }));
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
): Promise<{ readonly content: string; readonly failed: boolean }> {
  const { record, attempt } = shieldRun(run);
  const subject = { call, tool };
  const deny = (output: string): boolean => record({ type: "tool.finished", ...subject, outcome: "denied", output });
  try {
    const approved = approve === undefined ? true : await approve({ call, tool, input });
    if (approved !== true) {
      deny(approved);
      return { content: approved, failed: true };
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
    const content = serialize(output);
    attempt("resultToEvent", () => record(resultToEvent(subject, output, clock() - started)), false);
    return { content, failed: false };
  } catch (error) {
    attempt("failureToEvent", () => record(failureToEvent(subject, error, clock() - started)), false);
    return { content: `Error: ${messageOf(error)}`, failed: true };
  }
}

function serialize(output: unknown): string {
  if (typeof output === "string") return output;
  // The types do not say it, but `stringify` returns `undefined` for a function.
  const text: unknown = JSON.stringify(output);
  return typeof text === "string" ? text : "";
}
