import type { RunPort } from "@phasekit/core";
import { resultFact, shieldRun } from "@phasekit/core/adapter";
import { listIn, objectIn, textIn, type WireObject } from "./wire-json.ts";

/**
 * Records the results a request carries for calls nobody has reported on: what a client can know of tools that are run
 * without `executeTools`. The API has no flag for failure; a text that begins with "Error", and an object with `error`
 * or `isError`, count as one.
 */
export function recordToolResults(run: RunPort, body: object): void {
  const { record, attempt, beforeTool } = shieldRun(run);
  attempt("recordToolResults", () => {
    const { messages, input } = objectIn(body);
    for (const message of listIn(messages ?? input)) {
      const call = textIn(message["tool_call_id"] ?? (message["type"] === "function_call_output" ? message["call_id"] : undefined));
      const pending = call === "" ? undefined : run.view.pending.get(call);
      const output = contentOf(message);
      if (pending === undefined) continue;
      const answer = beforeTool({ call, tool: pending.tool });
      // A call that was refused and has the refusal as its result was not made.
      if (!answer.allow && answer.text === output) continue;
      const fact = resultFact({ call, tool: pending.tool }, output);
      record(looksFailed(output) ? { ...fact, outcome: "error" } : fact);
    }
  }, undefined);
}

/** The result as the tool gave it, when it was written as JSON. */
function contentOf(message: WireObject): unknown {
  const content = message["content"] ?? message["output"];
  const text = typeof content === "string" ? content : listIn(content).map((part) => textIn(part["text"])).join("");
  if (!/^\s*[{[]/.test(text)) return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

function looksFailed(output: unknown): boolean {
  if (typeof output === "string") return /^error\b/i.test(output);
  const { error, isError } = objectIn(output);
  return isError === true || (error !== undefined && error !== null && error !== false);
}
