import type { NudgeLimits, Proposal } from "./arbitrate-nudges.ts";
import { applyDecisions } from "./apply-decisions.ts";
import type { VetoLimits } from "./apply-veto.ts";
import { clipText } from "../text/clip.ts";
import type { Decision, Nudge } from "../policies/decision.ts";
import { defined, type Undefinable } from "../text/defined.ts";
import type { DeriveContext } from "./derive-context.ts";
import { earliestDeadline } from "./earliest-deadline.ts";
import { messageOf } from "../text/error-shape.ts";
import type { DerivedEvents } from "../events/derived-events.ts";
import type { DerivedEvent, DerivedType, HostEvent, RunEvent } from "../events/run-event.ts";
import { startsCycle } from "../view/fold-phases.ts";
import { foldView } from "../view/fold-view.ts";
import { freezeDeep } from "../text/freeze-deep.ts";
import { answerCommand } from "./move-run.ts";
import { checkMove, type MoveRefusal, type WantedMove } from "../graph/moves.ts";
import type { Guard } from "../graph/phase-graph.ts";
import type { AnyDecider, AnyObserver, PolicyPlan } from "./policy-plan.ts";
import { nameAt, type PolicyPart, type PolicyRow, rowsOf } from "./policy-rows.ts";
import { readDecisions } from "./read-decision.ts";
import { createRunView } from "../view/read-only-view.ts";
import type { Mode, RunView } from "../view/run-view.ts";
import { sendNudges } from "./send-nudges.ts";
import { refusePromise } from "../run/settle-quietly.ts";
import type { ViewState } from "../view/view-state.ts";

/** Turns host events into steps, with a view, policies and their states. Reads no clock and keeps no log. */
export interface Stepper {
  readonly view: ViewState;
  readonly run: RunView<string>;
  /** Takes one host event and returns it with everything it caused. */
  readonly step: (event: HostEvent) => readonly RunEvent[];
  /** Folds a stored event without deciding anything. */
  readonly fold: (event: RunEvent) => void;
  /** The earliest deadline that has not been ticked. */
  readonly wakeAt: () => number | undefined;
  /** The policies with their states, in order, for snapshots. */
  readonly parts: readonly PolicyPart[];
  /** True if a policy acts in a mode at least this strict. */
  readonly acts: (policy: string, least: Mode) => boolean;
}

const POLICY = "a policy observes and decides";
const MAX_REFUSAL = 2048;
const STRICTNESS: Readonly<Record<Mode, number>> = { observe: 0, nudge: 1, gate: 2 };

/** Creates the stepper of one run. */
export function createStepper({
  view,
  plan,
  nudges,
  maxVetoes,
}: {
  readonly view: ViewState;
  readonly plan: PolicyPlan;
  readonly nudges: NudgeLimits;
  readonly maxVetoes: VetoLimits;
}): Stepper {
  const { readers, guards, modes, complete } = plan;
  const failing: { readonly policy: string; readonly error: unknown }[] = [];
  const parts: readonly PolicyPart[] = plan.policies.map((policy) => {
    const part: PolicyPart = { policy, state: undefined, disabled: false };
    startAnew(part);
    return part;
  });
  // A policy whose `initial` failed is disabled; the first event records its failure.
  for (const part of parts) part.disabled = failing.some(({ policy }) => policy === part.policy.name);
  const sleepers = Array.from(plan.sleepers, partAt);
  let observers = rowsOf(plan.observers, parts);
  const deciders = rowsOf(plan.deciders, parts);
  const run = createRunView(view, { stateOf, mayMove: (move) => checkMove(view, move, quietGuard) === undefined });

  let step: RunEvent[] = [];
  let cause: HostEvent | undefined;
  let proposals: Proposal[] = [];
  /** The policies that were asked in this step and answered. */
  let answered: string[] = [];
  /** No alert or nudge is open, so a policy that decides nothing changes nothing. */
  let quiet = true;
  const context: DeriveContext = { view, cause: () => cause, derive, acts, whyNot };

  /** Takes one step. Never throws, so that every folded event reaches the log whatever fails on the way. */
  function takeStep(event: HostEvent): readonly RunEvent[] {
    step = [event];
    cause = event;
    try {
      runStep(event);
    } catch (error) {
      fail("phasekit", "decide", error);
    }
    const done = step;
    step = [];
    cause = undefined;
    return done;
  }

  function runStep(event: HostEvent): void {
    fold(event);
    recordFailures();
    for (const { name, during, message } of event.faults ?? [])
      derive("policy.failed", name, { policy: name, during, message });
    if (event.type === "move.requested") answerCommand(context, event);
    proposals = [];
    answered = [];
    quiet = view.alerts.size === 0 && view.openNudges.size === 0;
    askAll(event, deciders(event.type));
    if (event.type === "turn.started") sendNudges(context, { proposals, asked: new Set(answered), limits: nudges });
    // If the turn waited for its review, nudges about the result are sent in that turn. Other hosts have asked the
    // model meanwhile.
    else if (event.type === "review.finished" && event.waited === true && view.turnOpen)
      sendNudges(context, { proposals, asked: new Set(), limits: nudges });
  }

  /** Folds an event into the view, then into the state of every policy that observes it. */
  function fold(event: RunEvent): void {
    foldView(view, event);
    if (event.type === "policy.failed") {
      for (const part of parts) part.disabled = view.disabled.has(part.policy.name);
      observers = rowsOf(plan.observers, parts);
    }
    const watching = observers(event.type);
    // A policy does not observe its own failure: it would fail on it again.
    showAll(
      event,
      event.type === "policy.failed" ? watching.filter(({ part }) => part.policy.name !== event.policy) : watching,
    );
    if (event.type === "phase.transition" && startsCycle(view.graph, event)) {
      for (const part of parts) if (part.policy.resetOn === "fresh-phase") startAnew(part);
    }
  }

  /** One `try` covers all observers up to the first failure: a `try` for each would cost more than most of them. */
  function showAll(event: RunEvent, watching: PolicyRow<AnyObserver>): void {
    let next = 0;
    while (next < watching.length) {
      try {
        for (let entry = watching[next]; entry !== undefined; entry = watching[next]) {
          next += 1;
          const answer: unknown = entry.act(entry.part.state, event, run);
          if (answer !== undefined) refusePromise(answer, POLICY);
        }
      } catch (error) {
        failing.push({ policy: nameAt(watching, next - 1), error });
      }
    }
  }

  /** Asks the policies in order, and applies the decisions of each before it asks the next. */
  function askAll(event: HostEvent, deciding: PolicyRow<AnyDecider>): void {
    let next = 0;
    while (next < deciding.length) {
      let decisions: readonly Decision[] | undefined;
      try {
        // Most policies decide nothing most of the time: one `try` covers all up to the first that does.
        for (let entry = deciding[next]; entry !== undefined; entry = deciding[next]) {
          next += 1;
          if (entry.part.disabled) continue;
          const answer = entry.act(run, entry.part.state, event);
          if (answer === undefined && quiet) continue;
          refusePromise(answer, POLICY);
          decisions = readDecisions(answer, event.type);
          break;
        }
      } catch (error) {
        fail(nameAt(deciding, next - 1), "decide", error);
      }
      if (decisions !== undefined) apply(event, nameAt(deciding, next - 1), decisions);
    }
  }

  function apply(event: HostEvent, policy: string, decisions: readonly Decision[]): void {
    answered.push(policy);
    const propose = (nudge: Nudge): void => void proposals.push({ policy, nudge });
    try {
      applyDecisions(context, { policy, decisions, event, vetoes: maxVetoes, complete: complete.has(policy), propose });
    } catch (error) {
      fail(policy, "decide", error);
    }
    quiet = view.alerts.size === 0 && view.openNudges.size === 0;
  }

  /** Appends a derived event to the step and folds it. Derived events are never decided on, so a step always ends. */
  function derive<K extends DerivedType>(type: K, by: string, body: Undefinable<DerivedEvents[K]>): void {
    if (cause === undefined) return;
    const { at, agent, turn, call, seq } = cause;
    const event = defined({ type, seq: view.seq + 1, at, cause: seq, by, agent, turn, call, ...body });
    const derived = freezeDeep(event) as unknown as DerivedEvent;
    step.push(derived);
    fold(derived);
    recordFailures();
  }

  function recordFailures(): void {
    for (let next = failing.shift(); next !== undefined; next = failing.shift()) {
      if (!view.disabled.has(next.policy)) fail(next.policy, "observe", next.error);
    }
  }

  function fail(policy: string, during: DerivedEvents["policy.failed"]["during"], error: unknown): void {
    derive("policy.failed", policy, { policy, during, message: messageOf(error) });
  }

  function whyNot(wanted: WantedMove): MoveRefusal | undefined {
    return checkMove(view, wanted, (guard) => {
      try {
        return passGuard(guard);
      } catch (error) {
        fail(typeof guard === "string" ? guard : "guard", "guard", error);
        return "The condition for this move failed.";
      }
    });
  }

  function passGuard(guard: Guard): boolean | string {
    const named = typeof guard === "function" ? undefined : guards.get(guard);
    if (typeof guard !== "function" && named === undefined) return `Nothing provides the condition "${guard}".`;
    const answer: unknown =
      typeof guard === "function" ? guard(run) : named?.guard(run, partAt(named.place).state as never);
    refusePromise(answer, "a condition answers");
    return typeof answer === "string" ? clipText(answer, MAX_REFUSAL) : answer === true;
  }

  function quietGuard(guard: Guard): boolean | string {
    try {
      return passGuard(guard);
    } catch {
      return false;
    }
  }

  function acts(policy: string, least: Mode): boolean {
    return STRICTNESS[modes.get(policy) ?? view.mode] >= STRICTNESS[least];
  }

  function partAt(place: number): PolicyPart {
    return parts[place] as PolicyPart;
  }

  function stateOf(key: string): unknown {
    const reader = readers.get(key);
    if (reader === undefined) return undefined;
    const { state } = partAt(reader.place);
    return reader.within === undefined ? state : (state as readonly unknown[])[reader.within];
  }

  function startAnew(part: PolicyPart): void {
    try {
      const state: unknown = part.policy.initial?.();
      refusePromise(state, POLICY);
      part.state = state;
    } catch (error) {
      failing.push({ policy: part.policy.name, error });
    }
  }

  /** Folds a stored event. An observer that throws here threw in the live run too: the log has its failure. */
  function foldStored(event: RunEvent): void {
    fold(event);
    failing.length = 0;
  }

  const wakeAt = (): number | undefined => earliestDeadline(view, run, sleepers);
  return { view, run, step: takeStep, fold: foldStored, wakeAt, parts, acts };
}
