import { type BaseMessage, ToolMessage } from "@langchain/core/messages";
import type { ToolCall } from "@langchain/core/messages/tool";
import { isCommand } from "@langchain/langgraph";
import type { RunPort } from "@phasekit/core";
import { failureFact, resultFact, shieldRun } from "@phasekit/core/adapter";
import { isPassedOn, leavesGraph, rootCause } from "./errors.ts";
import type { Delegation } from "./invocation.ts";
import { watchTool } from "./watch-tool.ts";

/** A call to make, and how. */
export interface Making<TTool> {
  readonly toolCall: ToolCall;
  /** The tool that is called; absent when the host makes the call by other means. */
  readonly tool: TTool | undefined;
  readonly clock: () => number;
  readonly execute: (tool: TTool | undefined) => unknown;
}

/** What became of a call. An error is the tool's own, or that of something around it. */
export type MadeCall = { readonly refused: string } | { readonly output: unknown } | { readonly error: unknown; readonly isOfTool: boolean };

/**
 * Makes a tool call unless the run refuses it, and records what came of it. Child runs of agents that were
 * invoked by the tool, and that nobody has ended, end with it.
 *
 * @throws what interrupts the graph: the call is made again when it goes on.
 */
export async function makeCall<TTool extends object>(run: RunPort, { toolCall, tool, clock, execute }: Making<TTool>): Promise<MadeCall> {
  const { attempt, beforeTool, record } = shieldRun(run);
  const subject = { call: toolCall.id ?? toolCall.name, tool: toolCall.name };
  const answer = beforeTool({ ...subject, input: toolCall.args });
  if (!answer.allow) return { refused: answer.text };

  const delegation: Delegation = { run, call: subject.call, children: new Set() };
  let seen: { readonly output: unknown } | undefined;
  const sawOutput = (output: unknown): void => {
    seen = { output };
  };
  let thrown: { readonly error: unknown } | undefined;
  const sawError = (error: unknown): void => {
    // A tool that is called again has nothing to show for the first time.
    seen = undefined;
    thrown = { error };
  };
  const started = clock();
  try {
    const output = await execute(tool && watchTool(tool, { delegation, sawOutput, sawError }));
    attempt("tool.finished", () => {
      endChildren(delegation);
      const message = messageIn(output, toolCall.id);
      const fact = resultFact(subject, message === undefined ? output : rawOutput(seen, { tool, message }), clock() - started);
      record(message?.status === "error" ? { ...fact, outcome: "error" } : fact);
    }, undefined);
    return { output };
  } catch (error) {
    if (leavesGraph(error)) throw error;
    attempt("tool.finished", () => {
      endChildren(delegation, error);
      record(failureFact(subject, rootCause(error), clock() - started));
    }, undefined);
    return thrown !== undefined && isPassedOn(error, thrown.error) ? { error: thrown.error, isOfTool: true } : { error, isOfTool: false };
  }
}

/** A run that is nobody's child is somebody else's to end. */
function endChildren({ run, children }: Delegation, error?: unknown): void {
  for (const child of children) {
    if (run.view.children.has(child.id) && child.view.status !== "ended") child.end(error === undefined ? {} : { error });
  }
}

/** What the tool returned, if that was seen and is not the message itself; else what the model reads. */
function rawOutput(seen: { readonly output: unknown } | undefined, { tool, message }: { readonly tool: object | undefined; readonly message: ToolMessage }): unknown {
  if (seen === undefined || ToolMessage.isInstance(seen.output) || isCommand(seen.output)) return message.text;
  const { responseFormat } = (tool ?? {}) as { readonly responseFormat?: unknown };
  // A pair of what the model reads and what the program keeps.
  return responseFormat === "content_and_artifact" && Array.isArray(seen.output) ? (seen.output[0] as unknown) : seen.output;
}

/** The message a call is answered with, also when a command carries it. */
function messageIn(output: unknown, call: string | undefined): ToolMessage | undefined {
  if (ToolMessage.isInstance(output)) return output;
  if (!isCommand(output)) return undefined;
  const { messages = [] } = (output.update ?? {}) as { readonly messages?: BaseMessage | readonly BaseMessage[] };
  return [messages].flat().find((message): message is ToolMessage => ToolMessage.isInstance(message) && message.tool_call_id === call);
}
