import { shieldRun } from "@phasekit/core/adapter";
import { isObject, type LooseObject, toObject } from "@phasekit/core/kit";
import { guardTool } from "./guard-tools.ts";
import type { Invocation } from "./invocation.ts";
import { partsOf } from "./items.ts";
import { bindContext } from "./run-context.ts";
import { recordUnmade } from "./unmade-calls.ts";
import { watchAgents } from "./watch-agents.ts";

/** True if an input is the state of an interrupted run. */
export function isRunState(input: unknown): input is LooseObject {
  return isObject(input) && isObject(input["_currentAgent"]);
}

/**
 * Prepares the state of an interrupted run: it continues with its own context, its agent and the tools of its last
 * answer, which must be watched for this invocation. Records the calls a person did not approve.
 */
export function resumeState(invocation: Invocation, state: LooseObject): void {
  shieldRun(invocation.run).attempt(
    "state",
    () => {
      bindContext(invocation, state["_context"]);
      invocation.active = state["_currentAgent"] as object;
      watchAgents(invocation.active);
      const { functions } = toObject(state["_lastProcessedResponse"]);
      for (const action of partsOf(functions)) Reflect.set(action, "tool", guardTool(invocation, action["tool"]));
      recordDenied(invocation, state);
    },
    undefined,
  );
}

interface Approvals {
  readonly isToolApproved?: (call: { readonly toolName: string; readonly callId: string }) => boolean | undefined;
  readonly getRejectionMessage?: (toolName: string, callId: string) => string | undefined;
}

function recordDenied({ run }: Invocation, state: LooseObject): void {
  const approvals = state["_context"] as Approvals;
  for (const [callId, { tool: toolName }] of run.view.pending) {
    if (approvals.isToolApproved?.({ toolName, callId }) !== false) continue;
    recordUnmade(run, callId, { outcome: "denied", text: approvals.getRejectionMessage?.(toolName, callId) });
  }
}
