import type { NewEvent } from "@phasekit/core";
import { type BlindSpan, blindSpan } from "@phasekit/core/adapter";
import { noteActivity, notePrompt } from "../block-guard.ts";
import { openRun, type SessionState, workingRun } from "./session-state.ts";

/** A missed event is decided on as it would have been, and no decision reaches the agent: the agent has continued. */
export function catchUp(state: SessionState, missed: readonly NewEvent[], span: BlindSpan): void {
  for (const event of missed) {
    const before = state.run?.view.lastProgress?.seq;
    if (event.type === "message.received" && "text" in event) {
      noteMissedPrompt(state, event.text, event.at);
      continue;
    }
    const run = workingRun(state);
    if (event.type === "turn.started") {
      // A turn that is open already is the same one. What is said to the agent now is lost on it.
      const { nudges } = run.beforeTurn(event.at === undefined ? {} : { at: event.at });
      for (const { nudge } of nudges) run.record({ type: "nudge.lost", nudge });
    } else run.record(event);
    if (event.type !== "tool.finished") continue;
    state.calls.end({ ...event, tool: event.tool ?? "" });
    noteActivity(state.guard, { progress: run.view.lastProgress?.seq !== before });
  }
  // The log was read back, so nothing of the session is unknown.
  if (span.how === "log") state.isKnown = true;
  workingRun(state).record(blindSpan.record(span));
  state.blind = span;
}

function noteMissedPrompt(state: SessionState, text: string, at: number | undefined): void {
  notePrompt(state.guard);
  if (state.run === undefined || state.run.view.status === "ended") openRun(state, text);
  else workingRun(state).record({ type: "message.received", text, from: "user", ...(at !== undefined && { at }) });
}
