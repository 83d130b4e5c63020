import { type BaseMessage, ToolMessage } from "@langchain/core/messages";
import type { ToolCall } from "@langchain/core/messages/tool";
import { isCommand } from "@langchain/langgraph";
import type { RunPort } from "@phasekit/core";
import { failureToEvent, resultToEvent, shieldRun } from "@phasekit/core/adapter";
import { isWrapperOf, leavesGraph, rootCause } from "./errors.ts";
import type { Delegation } from "./invocation.ts";
import { beginNameless } from "./nameless-calls.ts";
import { watchTool } from "./watch-tool.ts";

/** A tool call and how to execute it. */
export interface CallContext<TTool> {
  readonly toolCall: ToolCall;
  /** The tool; absent if the host executes the call another way. */
  readonly tool: TTool | undefined;
  readonly clock: () => number;
  readonly execute: (tool: TTool | undefined) => unknown;
}

/** The result of a call. `isOfTool` is false for an error thrown by code around the tool. */
export type CallResult =
  { readonly refused: string } | { readonly output: unknown } | { readonly error: unknown; readonly isOfTool: boolean };

/**
 * Makes a tool call unless the run refuses it, and records the result. Ends the child runs of agents the tool invoked,
 * if they are still open.
 *
 * @throws interrupts of the graph: the call is made again when the graph continues.
 */
export async function makeCall<TTool extends object>(run: RunPort, context: CallContext<TTool>): Promise<CallResult> {
  const { id, name } = context.toolCall;
  if (id !== undefined) return makeCallOf(run, id, context);
  const plain = { call: name, end: (): void => undefined };
  const { call, end } = shieldRun(run).attempt("namelessCall", () => beginNameless(run, name), plain);
  try {
    return await makeCallOf(run, call, context);
  } finally {
    end();
  }
}

async function makeCallOf<TTool extends object>(
  run: RunPort,
  call: string,
  { toolCall, tool, clock, execute }: CallContext<TTool>,
): Promise<CallResult> {
  const { attempt, beforeTool, record } = shieldRun(run);
  const subject = { call, tool: toolCall.name };
  const answer = beforeTool({ ...subject, input: toolCall.args });
  if (!answer.allow) return { refused: answer.text };

  const delegation: Delegation = { run, call: subject.call, children: new Set() };
  let seen: { readonly output: unknown } | undefined;
  const sawOutput = (output: unknown): void => {
    seen = { output };
  };
  let thrown: { readonly error: unknown } | undefined;
  const sawError = (error: unknown): void => {
    // A retry discards the output of the first call.
    seen = undefined;
    thrown = { error };
  };
  const started = clock();
  try {
    const output = await execute(tool && watchTool(tool, { delegation, sawOutput, sawError }));
    attempt(
      "tool.finished",
      () => {
        endChildren(delegation);
        const message = messageIn(output, toolCall.id);
        const event = resultToEvent(
          subject,
          message === undefined ? output : rawOutput(seen, { tool, message }),
          clock() - started,
        );
        record(message?.status === "error" ? { ...event, outcome: "error" } : event);
      },
      undefined,
    );
    return { output };
  } catch (error) {
    if (leavesGraph(error)) throw error;
    attempt(
      "tool.finished",
      () => {
        endChildren(delegation, error);
        record(failureToEvent(subject, rootCause(error), clock() - started));
      },
      undefined,
    );
    return thrown !== undefined && isWrapperOf(error, thrown.error)
      ? { error: thrown.error, isOfTool: true }
      : { error, isOfTool: false };
  }
}

/** Ends only child runs: a run with another owner is left open. */
function endChildren({ run, children }: Delegation, error?: unknown): void {
  for (const child of children) {
    if (run.view.children.has(child.id) && child.view.status !== "ended")
      child.end(error === undefined ? {} : { error });
  }
}

/** Returns the output of the tool if it was seen and is not a message, else the text of the message. */
function rawOutput(
  seen: { readonly output: unknown } | undefined,
  { tool, message }: { readonly tool: object | undefined; readonly message: ToolMessage },
): unknown {
  if (seen === undefined || ToolMessage.isInstance(seen.output) || isCommand(seen.output)) return message.text;
  const { responseFormat } = (tool ?? {}) as { readonly responseFormat?: unknown };
  // A pair: the content for the model and the artifact for the program.
  return responseFormat === "content_and_artifact" && Array.isArray(seen.output)
    ? (seen.output[0] as unknown)
    : seen.output;
}

/** Finds the result message of a call, also inside a command. */
function messageIn(output: unknown, call: string | undefined): ToolMessage | undefined {
  if (ToolMessage.isInstance(output)) return output;
  if (!isCommand(output)) return undefined;
  const { messages = [] } = (output.update ?? {}) as { readonly messages?: BaseMessage | readonly BaseMessage[] };
  return [messages]
    .flat()
    .find((message): message is ToolMessage => ToolMessage.isInstance(message) && message.tool_call_id === call);
}
