import type { EventOf, Mode, NewEvent, Run, RunEvent } from "@phasekit/core";
import { callOf } from "@phasekit/core/account";
import { type BlindSpan, blindSpan, ownValue } from "@phasekit/core/adapter";
import { emptyGuard, guardOf, type GuardState } from "../block-guard.ts";
import { type CallMatcher, createCallMatcher } from "../call-matcher.ts";
import type { HookAgent } from "../hook-agent.ts";
import type { HookEvent } from "../hook-event.ts";
import { gateTouched } from "../hook-events.ts";

/** The beginning of a sub-agent. */
export interface ChildOrigin {
  /** The call of its parent that started it, where the agent tells. */
  readonly call?: string;
  readonly task?: string;
}

export interface HookSessionOptions {
  readonly agent: HookAgent;
  readonly mode: Mode;
  /** Makes the session's next run. The first prompt is its task. */
  readonly openRun: (options: { readonly task?: string }) => Run;
  /** Makes the run of a sub-agent. */
  readonly openChild: (run: Run, origin: ChildOrigin) => Run;
  /** The session's run from an earlier process. */
  readonly restored?: Run;
  /** The events of that run: what the agent was held back for counts in this process, too. @default none */
  readonly earlier?: readonly RunEvent[];
  /** The log of the session could be read. @default true */
  readonly readable?: boolean;
  /** Reads the list of todos that a call of the agent's own tool writes. @default none is read */
  readonly todosIn?: (tool: string, input: unknown) => NewEvent<"todos.updated"> | undefined;
}

/** The agent itself or one of its sub-agents: its run, its open calls, and how it was held back. */
export interface Actor {
  readonly run: Run;
  readonly calls: CallMatcher;
  readonly guard: GuardState;
}

/** A gate that vetoed the last finish, as it put it. */
export interface Veto {
  readonly gate: string;
  readonly text: string;
}

/** A session between two events. The functions of this folder change it. */
export interface SessionState {
  readonly options: HookSessionOptions;
  readonly guard: GuardState;
  readonly calls: CallMatcher;
  readonly children: Map<string, Actor>;
  /** Open calls in which a sub-agent works whose events do not say so, by their ids: the task of each. */
  readonly delegated: Map<string, string>;
  /** The open points of sub-agents that could not be sent back, until their parent hears of them. */
  readonly unheard: string[];
  run: Run | undefined;
  unsubscribe: (() => void) | undefined;
  /** The session was seen from its start, or its log was read back. */
  isKnown: boolean;
  isReadable: boolean;
  /** The last thing that happened is a finish that was accepted. */
  isFinished: boolean;
  /** The agent does not wait for the answer to the event at hand. */
  isLate: boolean;
  lastVeto: string | undefined;
  /** The vetoes of the last finish. */
  vetoes: readonly Veto[];
  /** Gates the last finish did not meet. */
  unmet: readonly string[];
  /** The last call that touched the agent's own gate. */
  gateCall: string | undefined;
  /** The agent has lost its context, or was away, and got no checkpoint. */
  isLost: boolean;
  checkpoint: string | undefined;
  blind: BlindSpan | undefined;
  /** The last call that ended, and how often in a row. */
  same: { readonly key: string; readonly times: number } | undefined;
}

/** The state of a session that begins, or continues after another process. */
export function createSessionState(options: HookSessionOptions): SessionState {
  const { restored, earlier = [], readable = true } = options;
  const state: SessionState = {
    options,
    guard: guardOf(earlier),
    calls: createCallMatcher(),
    children: new Map(),
    delegated: new Map(),
    unheard: [],
    run: undefined,
    unsubscribe: undefined,
    isKnown: restored !== undefined,
    isReadable: readable,
    isFinished: wasAccepted(earlier),
    isLate: false,
    lastVeto: undefined,
    vetoes: [],
    unmet: [],
    gateCall: undefined,
    isLost: false,
    checkpoint: undefined,
    blind: earlier.findLast((event) => blindSpan.is(event))?.data,
    same: undefined,
  };
  if (restored !== undefined) continueRun(state, restored, earlier);
  return state;
}

/** Continues a run of an earlier process, with its events so far. */
export function continueRun(state: SessionState, run: Run, events: readonly RunEvent[]): void {
  takeRun(state, run);
  state.calls.continueFrom(events);
  const { delegate } = state.options.agent;
  for (const event of events) {
    if (event.type === "tool.requested" && event.tool === delegate?.tool)
      state.delegated.set(event.call ?? "", delegate.taskIn(event.input));
    else if (event.type === "tool.finished") state.delegated.delete(event.call ?? "");
  }
}

function takeRun(state: SessionState, run: Run): void {
  state.unsubscribe?.();
  state.run = run;
  state.unsubscribe = run.subscribe((step) => {
    const [first] = step;
    if (first?.type === "tool.requested" && step.some((event) => gateTouched.is(event))) state.gateCall = first.call;
    if (first?.type === "tool.finished" && hasPassed(first)) {
      state.unmet = [];
      state.unheard.length = 0;
    }
    if (first?.type !== "finish.requested") return;
    const vetoed = step.filter((event): event is EventOf<"finish.vetoed"> => event.type === "finish.vetoed");
    state.vetoes = vetoed.filter(({ applied }) => applied);
    state.unmet = vetoed.filter(({ held }) => held !== "waived").map(({ gate }) => gate);
  });
}

/** Opens the session's next run. */
export function openRun(state: SessionState, task?: string): Run {
  const run = state.options.openRun(task === undefined ? {} : { task });
  takeRun(state, run);
  state.calls.clear();
  state.children.clear();
  state.delegated.clear();
  state.unheard.length = 0;
  state.same = undefined;
  return run;
}

/** The run, ready to take events: a suspended run is resumed, and one that ended is followed by the next. */
export function workingRun(state: SessionState): Run {
  const current = state.run ?? openRun(state);
  if (current.view.status === "ended") return openRun(state);
  if (current.view.status === "suspended") current.resume({ by: "host" });
  state.isFinished = false;
  return current;
}

/** True if the agent can take a kind of answer at this event, and waits for it. */
export function canAnswer(
  { options, isLate }: SessionState,
  event: HookEvent,
  what: "nudge" | "veto" | "refuse" | "stop",
): boolean {
  return !isLate && (ownValue(options.agent.events, event.name)?.includes(what) ?? false);
}

/** A sub-agent or agent that was never held back. */
export function newActor(run: Run): Actor {
  return { run, calls: createCallMatcher(), guard: emptyGuard() };
}

/** True if the last thing in a log is a finish that was accepted. */
function wasAccepted(events: readonly RunEvent[]): boolean {
  const last = events.findLast(({ type }) => type === "move.requested" || type === "tool.finished");
  const asked = events.findLast(({ type }) => type === "model.failed" || type === "finish.requested");
  return last?.type === "move.requested" && last.do === "suspend" && asked?.type === "finish.requested";
}

/** True for a test run that passed. */
function hasPassed(event: EventOf<"tool.finished">): boolean {
  const { check } = callOf(event);
  return check?.kind === "test" && check.verdict === "pass";
}
