import type { RunPort } from "@phasekit/core";
import { type LooseObject, resultToEvent, shieldRun, textIn } from "@phasekit/core/adapter";
import { objectsIn, textOf } from "./content-blocks.ts";

/**
 * Records the tool results in the messages of a request whose calls are still pending: all a client sees of tools run
 * without `executeTools`.
 */
export function recordToolResults(run: RunPort, messages: unknown): void {
  const { record, attempt, beforeTool } = shieldRun(run);
  attempt(
    "recordToolResults",
    () => {
      for (const block of objectsIn(messages)
        .flatMap(({ content }) => objectsIn(content))
        .filter(isResult)) {
        const call = textIn(block["tool_use_id"]);
        const pending = run.view.pending.get(call);
        if (pending === undefined) continue;
        const answer = beforeTool({ call, tool: pending.tool });
        // The result is the refusal: the call was not made.
        if (!answer.allow && textOf(block["content"]).endsWith(answer.text)) continue;
        const event = resultToEvent({ call, tool: pending.tool }, outputOf(block["content"]));
        record(block["is_error"] === true ? { ...event, outcome: "error" } : event);
      }
    },
    undefined,
  );
}

export function isResult({ type }: LooseObject): boolean {
  return type === "tool_result";
}

/** The output of a tool, parsed if its text is JSON: exit codes and flags are in it. */
export function outputOf(content: unknown): unknown {
  const text = textOf(content);
  if (!/^\s*[{[]/.test(text)) return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
