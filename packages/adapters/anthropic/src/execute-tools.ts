import type { RunPort } from "@phasekit/core";
import { type ExecuteOptions, makeCalls, shieldRun, textIn, toObject } from "@phasekit/core/adapter";
import { blocksOf } from "./content-blocks.ts";
import { isCall, messageToAnswer } from "./message-answer.ts";
import { recordResponse } from "./record-response.ts";

/** A tool result, for the content of the next user message. */
export interface ToolResultBlock {
  type: "tool_result";
  tool_use_id: string;
  content: string;
  is_error?: true;
}

/**
 * Makes the tool calls of a message in parallel and returns one result per call, in order: the content of the next user
 * message. If the run refuses a call, it is not made and its result is the refusal.
 *
 * @example
 * const handlers = { read_file: ({ path }: { path: string }) => readFile(path, "utf8") };
 * messages.push({ role: "user", content: await executeTools(run, message, { handlers }) });
 */
export async function executeTools(run: RunPort, message: object, options: ExecuteOptions): Promise<ToolResultBlock[]> {
  const { calls } = messageToAnswer(message);
  // The ids as the model sent them.
  const ids = blocksOf(toObject(message)["content"])
    .filter(isCall)
    .map(({ id }) => textIn(id));
  // A streamed message is already recorded. The caller assembled another object from its events.
  if (!shieldRun(run).attempt("executeTools", () => calls.some(({ call }) => run.view.pending.has(call)), false))
    recordResponse(run, message);
  const made = await makeCalls(run, calls, options);
  return made.map(({ text, failed }, index) => ({
    type: "tool_result",
    tool_use_id: ids[index] ?? "",
    content: text,
    ...(failed && { is_error: true }),
  }));
}
