import type { RunPort } from "@phasekit/core";
import { resultFact, shieldRun } from "@phasekit/core/adapter";
import { type Part, partIn } from "./model-parts.ts";

/**
 * Records the results the messages bring for calls nobody has reported on: of tools that are run elsewhere (a browser,
 * a person), and of calls a person did not approve.
 */
export function recordGivenResults(run: RunPort, messages: readonly unknown[]): void {
  const { attempt, record } = shieldRun(run);
  attempt("messages", () => {
    if (run.view.pending.size === 0) return;
    for (const { type, toolCallId, output } of messages.flatMap(partsOf)) {
      const pending = type === "tool-result" && typeof toolCallId === "string" ? run.view.pending.get(toolCallId) : undefined;
      if (pending === undefined || pending.refused !== undefined) continue;
      const { type: kind, value, reason } = partIn(output);
      const fact = resultFact({ call: String(toolCallId), tool: pending.tool }, kind === "execution-denied" ? reason : value);
      const isError = kind === "error-text" || kind === "error-json";
      record(kind === "execution-denied" ? { ...fact, outcome: "denied" } : isError ? { ...fact, outcome: "error" } : fact);
    }
  }, undefined);
}

function partsOf(message: unknown): readonly Part[] {
  const { role, content } = partIn(message);
  return role === "tool" && Array.isArray(content) ? content.map(partIn) : [];
}
