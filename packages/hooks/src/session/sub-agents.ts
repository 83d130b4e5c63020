import { hashText, pushBounded, wrapEnvelope } from "@phasekit/core/adapter";
import type { HookAnswer, HookEvent, HookEventOf } from "../hook-event.ts";
import { subagentLeft } from "../hook-events.ts";
import { mayBlock } from "./hold-back.ts";
import { type Actor, canAnswer, type ChildOrigin, newActor, type SessionState, workingRun } from "./session-state.ts";
import { WAY_OUT } from "./way-out.ts";

const MAX_SUBAGENTS = 64;
const MAX_UNHEARD = 8;

/** The actor of an event: the agent itself, or one of its sub-agents. */
export function actorOf(state: SessionState, { subagent }: HookEvent): Actor {
  const run = workingRun(state);
  return subagent === undefined ? { run, calls: state.calls, guard: state.guard } : subagentOf(state, subagent);
}

/** A sub-agent by its id; one that was not heard of begins. */
export function subagentOf(state: SessionState, id: string, origin: ChildOrigin = {}): Actor {
  const { children, options } = state;
  const parent = workingRun(state);
  const known = children.get(id);
  if (known !== undefined) return known;
  const child = newActor(options.openChild(parent, origin));
  children.set(id, child);
  const oldest = children.size > MAX_SUBAGENTS ? children.keys().next().value : undefined;
  if (oldest !== undefined) {
    children.get(oldest)?.run.end({ reason: "interrupted" });
    children.delete(oldest);
  }
  return child;
}

/** A sub-agent that is not sent back is over. */
export function subagentEnded(state: SessionState, event: HookEventOf<"subagent.ended">): HookAnswer {
  const child = state.children.get(event.id);
  // Claude Code reports the end of sub-agents that never started while it compacts.
  if (child === undefined) return {};
  const { text = "", continued = false } = event;
  if (!canAnswer(state, event, "veto")) {
    endUnasked(state, event.id, { child, text });
    return {};
  }
  if (text !== "") child.run.record({ type: "message.sent", text });
  const answer = child.run.beforeFinish({ text });
  if (!answer.accept && child.run.view.stopped === undefined) {
    // Other hooks rarely send a sub-agent back, so a veto that is continued is ours.
    if (mayBlock(state, child, { block: "veto", text: answer.text, continued, lastWords: text }))
      return { veto: wrapEnvelope(`${answer.text}\n${WAY_OUT}`) };
  }
  child.run.end();
  state.children.delete(event.id);
  return {};
}

/** Ends a sub-agent that cannot be sent back: its parent hears what is open. */
function endUnasked(
  state: SessionState,
  id: string,
  { child, text }: { readonly child: Actor; readonly text: string },
): void {
  if (text !== "") child.run.record({ type: "message.sent", text });
  const answer = child.run.beforeFinish({ text, canVeto: false });
  child.run.end();
  state.children.delete(id);
  if (state.options.mode !== "gate" || !answer.accept) return;
  for (const { text: open } of answer.unmet) pushBounded(state.unheard, open, MAX_UNHEARD);
}

/** The open points of sub-agents, as their parent reads them: once, as soon as a text can reach it. */
export function takeUnheard(state: SessionState, { subagent }: HookEvent): readonly string[] {
  if (subagent !== undefined || state.run === undefined || state.unheard.length === 0) return [];
  const open = [...new Set(state.unheard.splice(0))].map((one) => `- ${one}`);
  const first = "A sub-agent of yours finished, and this is open, as it was put for it:";
  const text = [first, ...open, "See to it before you finish."].join("\n");
  state.run.record(subagentLeft.record({ text: hashText(text) }));
  return [wrapEnvelope(text)];
}

/** Ends the sub-agents that are left when their parent does. */
export function endSubagents({ children, delegated }: SessionState): void {
  for (const child of children.values()) child.run.end({ reason: "parent_ended" });
  children.clear();
  delegated.clear();
}

/**
 * Says whose an event is that does not say so itself: while a call is open in which a sub-agent works, calls that start
 * are the sub-agent's. Of several that run in parallel it is the one that began first.
 */
export function withSubagent(state: SessionState, event: HookEvent): HookEvent {
  const { delegate } = state.options.agent;
  if (delegate === undefined || event.subagent !== undefined) return event;
  if (event.kind !== "tool.started" && event.kind !== "tool.ended") return event;
  if (event.tool === delegate.tool || (event.kind === "tool.ended" && state.calls.findOpen(event) !== undefined))
    return event;
  const [subagent] = state.delegated.keys();
  return subagent === undefined ? event : { ...event, subagent };
}

/** A call begins in which a sub-agent works. */
export function delegateStarted(state: SessionState, call: string, { input }: HookEventOf<"tool.started">): void {
  const { delegate } = state.options.agent;
  if (delegate === undefined) return;
  const task = delegate.taskIn(input);
  state.delegated.set(call, task);
  subagentOf(state, call, { call, task });
}

/** The call is over, and so is the sub-agent: no answer reaches it any more. */
export function delegateEnded(state: SessionState, call: string, event: HookEventOf<"tool.ended">): void {
  const { delegate } = state.options.agent;
  const child = state.children.get(call);
  if (delegate === undefined || event.tool !== delegate.tool || event.subagent !== undefined) return;
  if (!state.delegated.delete(call) || child === undefined) return;
  for (const { model, usage } of event.subagentAnswers ?? [])
    child.run.record({ type: "model.answered", usage, ...(model !== undefined && { model }) });
  endUnasked(state, call, { child, text: delegate.lastWordsIn(event.output) });
}
