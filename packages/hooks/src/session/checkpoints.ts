import { hashText, ownValue, wrapEnvelope } from "@phasekit/core/adapter";
import type { HookEvent, HookEventOf } from "../hook-event.ts";
import { checkpointGiven } from "../hook-events.ts";
import type { SessionState } from "./session-state.ts";

/** True if the answer to this event should have a checkpoint: the conversation was shortened, or is continued. */
export function wantsCheckpoint({ options, isLost }: SessionState, event: HookEvent): boolean {
  const { agent, mode } = options;
  const canNudge = ownValue(agent.events, event.name)?.includes("nudge") ?? false;
  if (mode === "observe" || event.subagent !== undefined || !canNudge) return false;
  return isLost || (event.kind === "session.started" && event.source === "compact");
}

/** The checkpoint, if there is one to give: once. */
export function takeCheckpoint(state: SessionState): readonly string[] {
  const { checkpoint, run } = state;
  if (checkpoint === undefined || run === undefined) return [];
  state.isLost = false;
  state.checkpoint = undefined;
  run.record(checkpointGiven.record({ text: hashText(checkpoint) }));
  return [wrapEnvelope(`This is the state of the work:\n${checkpoint}`)];
}

/** Records that a conversation was shortened. A sub-agent has one of its own. */
export function contextCompacted(state: SessionState, { subagent, trigger }: HookEventOf<"context.compacted">): void {
  // The command that shortens a conversation may come before the prompt that continues its run.
  if (subagent === undefined) state.isLost = true;
  const target = subagent === undefined ? state.run : state.children.get(subagent)?.run;
  if (target === undefined || target.view.status === "ended") return;
  target.record({ type: "context.compacted", ...(trigger !== undefined && { trigger }) });
}
