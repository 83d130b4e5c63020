import type { NewEvent, Run, RunEvent } from "@phasekit/core";
import type { BlindSpan } from "@phasekit/core/adapter";
import { notePrompt } from "../block-guard.ts";
import type { HookAnswer, HookEvent, HookEventOf } from "../hook-event.ts";
import { gateTouched } from "../hook-events.ts";
import { batchEnded, nextTurn, toolEnded, toolStarted } from "./calls.ts";
import { contextCompacted, takeCheckpoint, wantsCheckpoint } from "./checkpoints.ts";
import { endRun, finishAsked, turnFailed, vetoLost } from "./finishes.ts";
import { catchUp } from "./missed-work.ts";
import {
  canAnswer,
  continueRun,
  createSessionState,
  type HookSessionOptions,
  openRun,
  type SessionState,
  workingRun,
} from "./session-state.ts";
import { sessionStatus, type SessionStatus } from "./session-status.ts";
import { subagentEnded, subagentOf, withSubagent } from "./sub-agents.ts";

/** One session of an agent: many prompts, one run that waits between them. */
export interface HookSession {
  /** Takes one event. A late event comes from the spool: the agent did not wait for it, so the answer is empty. */
  readonly handle: (event: HookEvent, options?: HandleOptions) => HookAnswer;
  /** An answer of `handle` did not reach the agent, which has continued without it. */
  readonly answerLost: (event: HookEvent, answer: HookAnswer) => void;
  /** True if the answer to this event should have a checkpoint: the conversation was shortened, or is continued. */
  readonly wantsCheckpoint: (event: HookEvent) => boolean;
  /**
   * Lets the agent finish without a gate. Only the user may do so: while a call of the agent that touches its own gate
   * is open, or if the caller knows that the agent asks, the waiver is refused and recorded.
   */
  readonly waive: (gate: string, options: WaiveOptions) => "waived" | "refused";
  /** Records what the agent did in a blind time, and that time. */
  readonly catchUp: (missed: readonly NewEvent[], span: BlindSpan) => void;
  readonly status: () => SessionStatus;
  readonly run: () => Run | undefined;
  /** Continues a run that was over, with its events so far. */
  readonly continueRun: (run: Run, events: readonly RunEvent[]) => void;
  /** Ends what is open, when the session is forgotten. */
  readonly close: () => void;
}

/** Options for `HookSession.handle()`. */
interface HandleOptions {
  /** The event comes from the spool. @default false */
  readonly late?: boolean;
  /** The state of the work, for an agent that has lost it. */
  readonly checkpoint?: string;
}

/** Options for `HookSession.waive()`. */
interface WaiveOptions {
  readonly reason: string;
  /** The request comes from inside the agent. @default false */
  readonly byAgent?: boolean;
}

/**
 * A session that turns hook events into a run and the run's answers into hook answers. An accepted finish suspends
 * the run; the next prompt resumes it. Every refusal and veto passes `whyWithhold`.
 */
export function createHookSession(options: HookSessionOptions): HookSession {
  const state = createSessionState(options);
  return {
    handle: (event, { late = false, checkpoint } = {}) => {
      state.isLate = late;
      state.checkpoint = checkpoint;
      // There was nothing to tell.
      if (checkpoint === undefined && wantsCheckpoint(state, event)) state.isLost = false;
      recordAnswers(state, event);
      return handle(state, withSubagent(state, event));
    },
    answerLost: (event, answer) => answerLost(state, withSubagent(state, event), answer),
    wantsCheckpoint: (event) => wantsCheckpoint(state, event),
    continueRun: (run, events) => {
      continueRun(state, run, events);
      state.isLost = true;
    },
    waive: (gate, waiver) => waive(state, gate, waiver),
    catchUp: (missed, span) => catchUp(state, missed, span),
    status: () => {
      const { run, unmet, blind } = state;
      return sessionStatus({ run, mode: options.mode, owed: unmet, ...(blind !== undefined && { blind }) });
    },
    run: () => state.run,
    close: () => close(state),
  };
}

function handle(state: SessionState, event: HookEvent): HookAnswer {
  switch (event.kind) {
    case "session.started":
      return sessionStarted(state, event);
    case "prompt.submitted":
      return promptSubmitted(state, event);
    case "tool.started":
      return toolStarted(state, event);
    case "tool.ended":
      return toolEnded(state, event);
    case "batch.ended":
      return batchEnded(state, event);
    case "finish.asked":
      return finishAsked(state, event);
    case "turn.failed":
      turnFailed(state, event);
      return {};
    case "subagent.started":
      subagentOf(state, event.id, event.task === undefined ? {} : { task: event.task });
      return {};
    case "subagent.ended":
      return subagentEnded(state, event);
    case "context.compacted":
      contextCompacted(state, event);
      return {};
    case "session.ended":
      close(state);
      return {};
    case "ignored":
      return {};
  }
}

/** Records the cost of the model's answers, where the agent reports it. */
function recordAnswers(state: SessionState, event: HookEvent): void {
  for (const { model, usage, subagent } of event.answers ?? []) {
    const isFirst = subagent !== undefined && subagent === event.subagent && event.kind !== "subagent.ended";
    const target =
      subagent === undefined
        ? state.run
        : isFirst
          ? subagentOf(state, subagent).run
          : state.children.get(subagent)?.run;
    if (target === undefined || target.view.status === "ended") continue;
    target.record({ type: "model.answered", usage, ...(model !== undefined && { model }) });
  }
}

function sessionStarted(state: SessionState, event: HookEventOf<"session.started">): HookAnswer {
  state.isKnown = true;
  if (event.source === "resume" && state.run !== undefined) state.isLost = true;
  const [nudge] = event.source === "compact" ? takeCheckpoint(state) : [];
  return nudge === undefined ? {} : { nudge };
}

function promptSubmitted(state: SessionState, event: HookEventOf<"prompt.submitted">): HookAnswer {
  const { lastVeto } = state;
  // Some agents report our own veto as the next prompt; others send prompts that no person wrote.
  const isOurs = lastVeto !== undefined && event.text.includes(lastVeto.slice(0, 400));
  const byPerson = event.byPerson && !isOurs;
  if (byPerson) {
    notePrompt(state.guard);
    state.isKnown = true;
    state.isReadable = true;
    state.lastVeto = undefined;
    state.gateCall = undefined;
    // A stopped run is over; the user's next prompt is a new piece of work.
    if (state.run !== undefined && (state.run.view.stopped !== undefined || state.run.view.status === "ended")) {
      endRun(state);
      state.run = undefined;
    }
  }
  if (state.run === undefined) openRun(state, byPerson ? event.text : undefined);
  else if (byPerson) {
    if (state.run.view.status === "suspended") state.run.resume({ by: "user" });
    state.run.record({ type: "message.received", text: event.text, from: "user" });
  }
  const run = workingRun(state);
  return canAnswer(state, event, "nudge") ? nextTurn(state, event, run) : {};
}

/** A lost nudge is sent again if it still holds; a lost veto was none. */
function answerLost(state: SessionState, event: HookEvent, { nudge, veto }: HookAnswer): void {
  if (veto !== undefined && event.kind === "finish.asked") vetoLost(state);
  if (nudge === undefined) return;
  const target = event.subagent === undefined ? state.run : state.children.get(event.subagent)?.run;
  for (const { nudge: lost } of target?.beforeTurn().nudges ?? []) target?.record({ type: "nudge.lost", nudge: lost });
}

function close(state: SessionState): void {
  endRun(state);
  state.calls.clear();
}

function waive(state: SessionState, gate: string, { reason, byAgent = false }: WaiveOptions): "waived" | "refused" {
  const current = state.run ?? openRun(state);
  if (byAgent || (state.gateCall !== undefined && state.calls.isOpen(state.gateCall))) {
    current.record(gateTouched.record({ tool: "phasekit", what: `phasekit waive ${gate}` }));
    return "refused";
  }
  return current.waive(gate, { by: "user", why: reason }) ? "waived" : "refused";
}
