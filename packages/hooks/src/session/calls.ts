import type { Run } from "@phasekit/core";
import { noteActivity, noteInterrupt } from "../block-guard.ts";
import { stableText } from "../call-matcher.ts";
import type { HookAnswer, HookEvent, HookEventOf } from "../hook-event.ts";
import { isSelfProtection } from "../self-protection.ts";
import { takeCheckpoint } from "./checkpoints.ts";
import { mayBlock } from "./hold-back.ts";
import { canAnswer, type SessionState } from "./session-state.ts";
import { actorOf, delegateEnded, delegateStarted, takeUnheard } from "./sub-agents.ts";

/** Asks the run about a call that is to start. */
export function toolStarted(state: SessionState, event: HookEventOf<"tool.started">): HookAnswer {
  const actor = actorOf(state, event);
  const { run, calls, guard } = actor;
  // Its end tells everything about it. A refusal would say that the call did not run.
  if (state.isLate || (event.call !== undefined && calls.isOpen(event.call))) return {};
  const call = calls.start(event);
  const answer = run.beforeTool({ call, tool: event.tool, input: event.input });
  // A run that is not running answers "no more tools"; the agent is none of its business then.
  const isRefused = !answer.allow && run.view.status === "running" && canAnswer(state, event, "refuse");
  if (isRefused) {
    const isFence = isSelfProtection(run.view.pending.get(call)?.refused?.by);
    if (isFence) {
      guard.last = "refuse";
      guard.activity = 0;
    }
    if (isFence || mayBlock(state, actor, { block: "refuse", text: answer.text })) {
      calls.end({ ...event, call });
      return { refuse: answer.text };
    }
  }
  if (event.tool === state.options.agent.delegate?.tool) delegateStarted(state, call, event);
  return {};
}

/** Records a call that ended, and nudges where nothing else ends the turn. */
export function toolEnded(state: SessionState, event: HookEventOf<"tool.ended">): HookAnswer {
  const { run, calls, guard } = actorOf(state, event);
  const { call, started } = calls.end(event);
  delegateEnded(state, call, event);
  const before = run.view.lastProgress?.seq;
  const { tool, outcome, input, output, exitCode, durationMs } = event;
  run.record({
    type: "tool.finished",
    call,
    tool,
    outcome,
    ...(!started && input !== undefined && { input: input as never }),
    ...(output !== undefined && { output: output as never }),
    ...(exitCode !== undefined && { exitCode }),
    ...(durationMs !== undefined && { durationMs: Math.max(0, durationMs) }),
  });
  const todos = outcome === "ok" ? state.options.todosIn?.(tool, input) : undefined;
  if (todos !== undefined) run.record(todos);
  if (event.interrupted === true) noteInterrupt(guard);
  else noteActivity(guard, { progress: run.view.lastProgress?.seq !== before });
  if (event.subagent === undefined) countSame(state, event);
  const isTurnOver = !state.options.agent.hasBatches && calls.waiting() === 0;
  return isTurnOver ? nextTurn(state, event, run) : {};
}

function countSame(state: SessionState, { tool, input }: HookEventOf<"tool.ended">): void {
  const key = `${tool} ${stableText(input)}`;
  state.same = { key, times: state.same?.key === key ? state.same.times + 1 : 1 };
}

/** Records what a batch has beside the calls that had events of their own, and nudges. */
export function batchEnded(state: SessionState, event: HookEventOf<"batch.ended">): HookAnswer {
  const { run, calls, guard } = actorOf(state, event);
  for (const { call, tool, input, output } of event.calls) {
    // Only calls that the agent turned down itself, such as an edit of text that is not in the file, have no other
    // event.
    if (call === undefined || calls.knows(call)) continue;
    calls.end({ call, tool, input });
    run.record({
      type: "tool.finished",
      call,
      tool,
      outcome: "error",
      ...(input !== undefined && { input: input as never }),
      ...(output !== undefined && { output: output as never }),
    });
    noteActivity(guard);
  }
  return nextTurn(state, event, run);
}

/** Asks the run what the agent should read in its next model request. */
export function nextTurn(state: SessionState, event: HookEvent, run: Run): HookAnswer {
  const canNudge = canAnswer(state, event, "nudge");
  // The end of a sub-agent's loop would be the end of the agent.
  const canStop = event.subagent === undefined && canAnswer(state, event, "stop");
  if (!canNudge && !canStop) return {};
  const { message, nudges, stop } = run.beforeTurn();
  if (stop !== undefined && canStop) return { stop: `Phasekit stopped the agent: ${stop.text ?? stop.reason}` };
  const own = canNudge ? [...takeCheckpoint(state), ...takeUnheard(state, event)] : [];
  const texts = [...own, ...(message === undefined ? [] : [message])];
  if (texts.length === 0) return {};
  if (canNudge) return { nudge: texts.join("\n") };
  for (const { nudge } of nudges) run.record({ type: "nudge.lost", nudge });
  return {};
}
