import { AIMessage, type BaseMessage, ToolMessage } from "@langchain/core/messages";
import type { RunPort } from "@phasekit/core";
import { resultToEvent, shieldRun } from "@phasekit/core/adapter";

/**
 * Records pending calls that were answered without us: rejected by a person, blocked by a limit, or made by an
 * unguarded tool of the graph. `failure` is the outcome of an error message.
 */
export function recordUnmade(run: RunPort, messages: readonly BaseMessage[], failure: "denied" | "error"): void {
  const { attempt, record } = shieldRun(run);
  attempt(
    "recordUnmade",
    () => {
      const last = messages.findLastIndex((message) => AIMessage.isInstance(message));
      for (const message of messages.slice(last + 1)) {
        if (!ToolMessage.isInstance(message)) continue;
        const call = message.tool_call_id;
        const pending = run.view.pending.get(call);
        if (pending === undefined || pending.refused !== undefined) continue;
        const event = resultToEvent({ call, tool: pending.tool }, message.text);
        record(message.status === "error" ? { ...event, outcome: failure } : event);
      }
    },
    undefined,
  );
}
