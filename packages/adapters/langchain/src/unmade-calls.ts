import { AIMessage, type BaseMessage, ToolMessage } from "@langchain/core/messages";
import type { RunPort } from "@phasekit/core";
import { resultFact, shieldRun } from "@phasekit/core/adapter";

/**
 * Records the calls somebody else answered: a person who rejected one, a limit, a tool of the graph that is not
 * watched. `failure` is what a message of failure means here.
 */
export function recordUnmade(run: RunPort, messages: readonly BaseMessage[], failure: "denied" | "error"): void {
  const { attempt, record } = shieldRun(run);
  attempt("recordUnmade", () => {
    const last = messages.findLastIndex((message) => AIMessage.isInstance(message));
    for (const message of messages.slice(last + 1)) {
      if (!ToolMessage.isInstance(message)) continue;
      const call = message.tool_call_id;
      const pending = run.view.pending.get(call);
      if (pending === undefined || pending.refused !== undefined) continue;
      const fact = resultFact({ call, tool: pending.tool }, message.text);
      record(message.status === "error" ? { ...fact, outcome: failure } : fact);
    }
  }, undefined);
}
