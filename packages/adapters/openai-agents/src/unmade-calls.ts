import type { RunPort } from "@phasekit/core";
import { shieldRun, toObject } from "@phasekit/core/adapter";
import type { Invocation } from "./invocation.ts";

type Formatter = (error: unknown) => unknown;

/** Returns a `toolErrorFormatter` that records the calls the SDK answers itself, with the caller's text or its own. */
export function formatToolErrors({ run }: Invocation, options: object): { readonly toolErrorFormatter: Formatter } {
  const { toolErrorFormatter: theirs } = toObject(options);
  return {
    toolErrorFormatter: async (error) => {
      const text: unknown = typeof theirs === "function" ? await (theirs as Formatter)(error) : undefined;
      const { kind, callId, defaultMessage } = toObject(error);
      const outcome = kind === "approval_rejected" ? "denied" : "error";
      recordUnmade(run, String(callId), { outcome, text: text ?? defaultMessage });
      return text;
    },
  };
}

/** Records the end of a call that was not made, if it is still open. */
export function recordUnmade(
  run: RunPort,
  call: string,
  { outcome, text }: { readonly outcome: "denied" | "error"; readonly text: unknown },
): void {
  const { attempt, record } = shieldRun(run);
  attempt(
    "tool.finished",
    () => {
      const pending = run.view.pending.get(call);
      if (pending === undefined || pending.refused !== undefined) return;
      const output = typeof text === "string" ? { output: text } : {};
      record({ type: "tool.finished", call, tool: pending.tool, outcome, ...output });
    },
    undefined,
  );
}
