import { defineEvent, type RunPort } from "@phasekit/core";
import { failureToEvent, shieldRun, toObject } from "@phasekit/core/adapter";
import type { Part } from "./model-parts.ts";

const vetoLost = defineEvent<{ readonly why: string }>("veto.lost");

/** Records the unmade calls of a finished step, and asks the run if the agent may finish. */
export function watchStep(
  run: RunPort,
  step: unknown,
  {
    steering,
    closed,
  }: {
    readonly steering: { readonly steer: (message: string) => Promise<unknown> } | undefined;
    readonly closed: boolean;
  },
): void {
  const { attempt, beforeFinish, record } = shieldRun(run);
  attempt(
    "onStepFinish",
    () => {
      const { content, text, finishReason, toolCalls } = toObject(step);
      const parts = (Array.isArray(content) ? content : []).map(toObject);
      recordUnmade(run, parts);
      const isDone = finishReason === "stop" && !(Array.isArray(toolCalls) && toolCalls.length > 0);
      // Without steering a veto could not be delivered: leave the question to `runUntilVerified`.
      if (!isDone || steering === undefined || closed) return;
      const finish = beforeFinish({ text: String(text) });
      if (finish.accept) return;
      void steering.steer(finish.text).then((outcome) => {
        const { type, reason } = toObject(outcome);
        if (type === "not-delivered") record(vetoLost.record({ why: String(reason) }));
      });
    },
    undefined,
  );
}

/** Records the calls the SDK answered itself: unknown tools, invalid arguments, and calls the host denied. */
function recordUnmade(run: RunPort, parts: readonly Part[]): void {
  const { record } = shieldRun(run);
  for (const { type, toolCall, toolCallId, error, approved, reason } of parts) {
    const call = String(toolCallId ?? toObject(toolCall)["toolCallId"]);
    const pending = run.view.pending.get(call);
    if (pending === undefined || pending.refused !== undefined) continue;
    const subject = { call, tool: pending.tool };
    if (type === "tool-error") record(failureToEvent(subject, error));
    else if (type === "tool-approval-response" && approved === false) {
      record({
        type: "tool.finished",
        ...subject,
        outcome: "denied",
        ...(typeof reason === "string" && { output: reason }),
      });
    }
  }
}
