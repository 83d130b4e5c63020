import type { RunPort } from "@phasekit/core";
import { type LooseObject, resultToEvent, shieldRun, textIn, toObject } from "@phasekit/core/adapter";
import { objectsIn } from "./objects-in.ts";

/**
 * Records the tool results in a request whose calls are still pending: all a client sees of tools run without
 * `executeTools`. The API has no flag for failure; a text that begins with "Error", and an object with `error` or
 * `isError`, count as one.
 */
export function recordToolResults(run: RunPort, body: object): void {
  const { record, attempt, beforeTool } = shieldRun(run);
  attempt(
    "recordToolResults",
    () => {
      const { messages, input } = toObject(body);
      for (const message of objectsIn(messages ?? input)) {
        const call = textIn(
          message["tool_call_id"] ?? (message["type"] === "function_call_output" ? message["call_id"] : undefined),
        );
        const pending = call === "" ? undefined : run.view.pending.get(call);
        const output = contentOf(message);
        if (pending === undefined) continue;
        const answer = beforeTool({ call, tool: pending.tool });
        // The result is the refusal: the call was not made.
        if (!answer.allow && answer.text === output) continue;
        const event = resultToEvent({ call, tool: pending.tool }, output);
        record(looksFailed(output) ? { ...event, outcome: "error" } : event);
      }
    },
    undefined,
  );
}

/** The result of a tool, parsed if it is JSON. */
function contentOf(message: LooseObject): unknown {
  const content = message["content"] ?? message["output"];
  const text =
    typeof content === "string"
      ? content
      : objectsIn(content)
          .map((part) => textIn(part["text"]))
          .join("");
  if (!/^\s*[{[]/.test(text)) return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

function looksFailed(output: unknown): boolean {
  if (typeof output === "string") return /^error\b/i.test(output);
  const { error, isError } = toObject(output);
  return isError === true || (error !== undefined && error !== null && error !== false);
}
