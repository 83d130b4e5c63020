import type { RunPort } from "@phasekit/core";
import { resultToEvent, shieldRun, toObject } from "@phasekit/core/adapter";
import type { Part } from "./model-parts.ts";

/**
 * Records the results in the messages whose calls are still pending: of tools that run elsewhere (in a browser, by a
 * person), and of calls a person did not approve.
 */
export function recordGivenResults(run: RunPort, messages: readonly unknown[]): void {
  const { attempt, record } = shieldRun(run);
  attempt(
    "messages",
    () => {
      if (run.view.pending.size === 0) return;
      for (const { type, toolCallId, output } of messages.flatMap(partsOf)) {
        const pending =
          type === "tool-result" && typeof toolCallId === "string" ? run.view.pending.get(toolCallId) : undefined;
        if (pending === undefined || pending.refused !== undefined) continue;
        const { type: kind, value, reason } = toObject(output);
        const isDenied = kind === "execution-denied";
        const isError = kind === "error-text" || kind === "error-json";
        const event = resultToEvent({ call: String(toolCallId), tool: pending.tool }, isDenied ? reason : value);
        record({ ...event, ...(isDenied && { outcome: "denied" }), ...(isError && { outcome: "error" }) });
      }
    },
    undefined,
  );
}

function partsOf(message: unknown): readonly Part[] {
  const { role, content } = toObject(message);
  return role === "tool" && Array.isArray(content) ? content.map(toObject) : [];
}
