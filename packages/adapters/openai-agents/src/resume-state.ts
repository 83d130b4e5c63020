import { isObject, type LooseObject, shieldRun } from "@phasekit/core/adapter";
import { guardTool } from "./guard-tools.ts";
import type { Invocation } from "./invocation.ts";
import { partsOf } from "./items.ts";
import { bindContext } from "./run-context.ts";
import { recordUnmade } from "./unmade-calls.ts";
import { watchAgents } from "./watch-agents.ts";

const HIDDEN =
  "This version of @openai/agents hides the context of an interrupted run: " +
  "approved calls are made without asking the run.";

/** True if an input is the state of an interrupted run. */
export function isRunState(input: unknown): input is LooseObject {
  return isObject(input) && typeof input["getInterruptions"] === "function";
}

/**
 * Prepares the state of an interrupted run: it continues with its own context, its agent and the tools of its last
 * answer, which must be watched for this invocation. Records the calls a person did not approve. The context and the
 * tools are not part of the SDK's public API: a version that hides them makes the approved calls without asking the
 * run, and `adapter.failed` says so.
 */
export function resumeState(invocation: Invocation, state: LooseObject): void {
  shieldRun(invocation.run).attempt(
    "state",
    () => {
      const { currentAgent, _context: context, _lastProcessedResponse: answer } = state;
      if (isObject(currentAgent)) invocation.active = currentAgent;
      watchAgents(invocation.active);
      if (!isObject(context) || !isObject(answer)) throw new Error(HIDDEN);
      bindContext(invocation, context);
      for (const action of partsOf(answer["functions"]))
        Reflect.set(action, "tool", guardTool(invocation, action["tool"]));
      recordDenied(invocation, context);
    },
    undefined,
  );
}

interface Approvals {
  readonly isToolApproved?: (call: { readonly toolName: string; readonly callId: string }) => boolean | undefined;
  readonly getRejectionMessage?: (toolName: string, callId: string) => string | undefined;
}

function recordDenied({ run }: Invocation, approvals: Approvals): void {
  for (const [callId, { tool: toolName }] of run.view.pending) {
    if (approvals.isToolApproved?.({ toolName, callId }) !== false) continue;
    recordUnmade(run, callId, { outcome: "denied", text: approvals.getRejectionMessage?.(toolName, callId) });
  }
}
