import type { Run } from "@phasekit/core";
import { wrapEnvelope } from "@phasekit/core/adapter";
import { noteInterrupt, withdrawBlock } from "../block-guard.ts";
import type { HookAnswer, HookEventOf } from "../hook-event.ts";
import { blockWithheld } from "../hook-events.ts";
import { mayBlock } from "./hold-back.ts";
import { canAnswer, type SessionState, type Veto } from "./session-state.ts";
import { endSubagents } from "./sub-agents.ts";
import { WAY_OUT } from "./way-out.ts";

/** Asks the run whether the agent may finish. An accepted finish suspends the run. */
export function finishAsked(state: SessionState, event: HookEventOf<"finish.asked">): HookAnswer {
  const { run, guard } = state;
  // Nothing was seen of the work, or this finish was accepted already.
  if (event.subagent !== undefined || run?.view.status !== "running") return {};
  if (event.aborted) noteInterrupt(guard);
  if (event.text !== "") run.record({ type: "message.sent", text: event.text });
  const canVeto = canAnswer(state, event, "veto") && event.isLeaving !== true;
  const answer = run.beforeFinish({ text: event.text, canVeto });
  if (!answer.accept && run.view.stopped === undefined) {
    const { openWork, aborted, continued, planning } = event;
    // A finish that was asked before is not asked again: an earlier process may have heard its vetoes.
    const text = state.vetoes.length === 0 ? answer.text : vetoText(state.vetoes);
    const circumstances = { openWork, aborted, continued, lastWords: event.text, ...(planning && { planning }) };
    if (mayBlock(state, { run, guard }, { block: "veto", text, ...circumstances })) {
      state.lastVeto = text;
      // The agent continues: its next model request is a turn, as it is in the agent's own log.
      const { message } = run.beforeTurn();
      return { veto: message === undefined ? text : `${text}\n${message}` };
    }
  }
  acceptFinish(state, run);
  return {};
}

function acceptFinish(state: SessionState, run: Run): void {
  state.isFinished = true;
  state.calls.clear();
  if (run.view.stopped === undefined) run.suspend({ by: "host", why: "The agent finished its turn." });
}

/** A veto names a harmless way out, and how the user, not the agent, waives it. */
function vetoText(vetoes: readonly Veto[]): string {
  const [first, ...others] = vetoes.map(({ gate }) => gate);
  const same = others.length === 0 ? "" : `, and the same for ${others.join(" and ")}`;
  const waiver = `The user can waive it: phasekit waive ${first ?? ""} --reason "..."${same}`;
  return wrapEnvelope(`${vetoes.map(({ text }) => text).join("\n\n")}\n${WAY_OUT} ${waiver}`);
}

/** A veto did not reach the agent, which has finished therefore. */
export function vetoLost(state: SessionState): void {
  const { run, guard } = state;
  if (run?.view.status !== "running") return;
  withdrawBlock(guard);
  state.lastVeto = undefined;
  run.record(blockWithheld.record({ block: "veto", why: "not-delivered" }));
  acceptFinish(state, run);
}

/** The model failed, and its turn with it. */
export function turnFailed({ run, calls }: SessionState, { message }: HookEventOf<"turn.failed">): void {
  if (run?.view.status !== "running") return;
  run.record({ type: "model.failed", message });
  calls.clear();
  run.suspend({ by: "host", why: "The agent's turn failed." });
}

/** Ends the session's run, and those of its sub-agents. */
export function endRun(state: SessionState): void {
  const { run, guard, isFinished } = state;
  if (run === undefined || run.view.status === "ended") return;
  endSubagents(state);
  if (run.view.stopped !== undefined) run.end();
  else if (isFinished) run.end({ reason: "done" });
  else if (guard.interrupted) run.end({ reason: "cancelled" });
  else if (wasEndedAsLoop(state))
    run.end({ reason: "aborted_stagnation", summary: `${state.options.agent.title} ended it: its own loop detector.` });
  else run.end({ reason: "interrupted" });
}

/** The agent made one call as often as its own loop detector allows, and left without a word. */
function wasEndedAsLoop({ options, same }: SessionState): boolean {
  const { ownLoopLimit } = options.agent;
  return ownLoopLimit !== undefined && same !== undefined && same.times >= ownLoopLimit;
}
