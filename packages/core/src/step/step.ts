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
import type { DerivedEvent, DerivedType, EventType, HostEvent, RunEvent } from "../events/run-event.ts";
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

interface RunStepperOptions {
  readonly view: ViewState;
  readonly plan: PolicyPlan;
  readonly nudges: NudgeLimits;
  readonly maxVetoes: VetoLimits;
}

/** Creates the stepper of one run. */
export function createStepper(options: RunStepperOptions): Stepper {
  return new RunStepper(options);
}

class RunStepper implements Stepper {
  readonly #view: ViewState;
  readonly #plan: PolicyPlan;
  readonly #nudges: NudgeLimits;
  readonly #maxVetoes: VetoLimits;
  readonly #failing: { readonly policy: string; readonly error: unknown }[] = [];
  readonly parts: readonly PolicyPart[];
  readonly #sleepers: PolicyPart[];
  #observers: (type: EventType) => PolicyRow<AnyObserver>;
  readonly #deciders: (type: EventType) => PolicyRow<AnyDecider>;
  readonly run: RunView<string>;
  #step: RunEvent[] = [];
  #cause: HostEvent | undefined;
  #proposals: Proposal[] = [];
  /** The policies that were asked in this step and answered. */
  #answered: string[] = [];
  /** No alert or nudge is open, so a policy that decides nothing changes nothing. */
  #quiet = true;
  readonly #context: DeriveContext;
  readonly wakeAt = (): number | undefined => earliestDeadline(this.#view, this.run, this.#sleepers);

  constructor({ view, plan, nudges, maxVetoes }: RunStepperOptions) {
    this.#view = view;
    this.#plan = plan;
    this.#nudges = nudges;
    this.#maxVetoes = maxVetoes;
    this.parts = plan.policies.map((policy) => {
      const part: PolicyPart = { policy, state: undefined, disabled: false };
      this.#startAnew(part);
      return part;
    });
    // A policy whose `initial` failed is disabled; the first event records its failure.
    for (const part of this.parts) part.disabled = this.#failing.some(({ policy }) => policy === part.policy.name);
    this.#sleepers = Array.from(plan.sleepers, this.#partAt);
    this.#observers = rowsOf(plan.observers, this.parts);
    this.#deciders = rowsOf(plan.deciders, this.parts);
    this.run = createRunView(view, {
      stateOf: this.#stateOf,
      mayMove: (move) => checkMove(view, move, this.#quietGuard) === undefined,
    });
    this.#context = {
      view: view,
      cause: () => this.#cause,
      derive: this.#derive,
      acts: this.acts,
      whyNot: this.#whyNot,
    };
  }

  get view() {
    return this.#view;
  }

  /** Takes one step. Never throws, so that every folded event reaches the log whatever fails on the way. */
  readonly step = (event: HostEvent): readonly RunEvent[] => {
    this.#step = [event];
    this.#cause = event;
    try {
      this.#runStep(event);
    } catch (error) {
      this.#fail("phasekit", "decide", error);
    }
    const done = this.#step;
    this.#step = [];
    this.#cause = undefined;
    return done;
  };

  /** Folds a stored event. An observer that throws here threw in the live run too: the log has its failure. */
  readonly fold = (event: RunEvent): void => {
    this.#fold(event);
    this.#failing.length = 0;
  };

  readonly acts = (policy: string, least: Mode): boolean => {
    return STRICTNESS[this.#plan.modes.get(policy) ?? this.#view.mode] >= STRICTNESS[least];
  };

  #runStep(event: HostEvent): void {
    this.#fold(event);
    this.#recordFailures();
    for (const { name, during, message } of event.faults ?? [])
      this.#derive("policy.failed", name, { policy: name, during, message });
    if (event.type === "move.requested") answerCommand(this.#context, event);
    this.#proposals = [];
    this.#answered = [];
    this.#quiet = this.#view.alerts.size === 0 && this.#view.openNudges.size === 0;
    this.#askAll(event, this.#deciders(event.type));
    if (event.type === "turn.started")
      sendNudges(this.#context, { proposals: this.#proposals, asked: new Set(this.#answered), limits: this.#nudges });
    // If the turn waited for its review, nudges about the result are sent in that turn. Other hosts have asked the
    // model meanwhile.
    else if (event.type === "review.finished" && event.waited === true && this.#view.turnOpen)
      sendNudges(this.#context, { proposals: this.#proposals, asked: new Set(), limits: this.#nudges });
  }

  /** Folds an event into the view, then into the state of every policy that observes it. */
  #fold(event: RunEvent): void {
    foldView(this.#view, event);
    if (event.type === "policy.failed") {
      for (const part of this.parts) part.disabled = this.#view.disabled.has(part.policy.name);
      this.#observers = rowsOf(this.#plan.observers, this.parts);
    }
    const watching = this.#observers(event.type);
    // A policy does not observe its own failure: it would fail on it again.
    this.#showAll(
      event,
      event.type === "policy.failed" ? watching.filter(({ part }) => part.policy.name !== event.policy) : watching,
    );
    if (event.type === "phase.transition" && startsCycle(this.#view.graph, event)) {
      for (const part of this.parts) if (part.policy.resetOn === "fresh-phase") this.#startAnew(part);
    }
  }

  /** One `try` covers all observers up to the first failure: a `try` for each would cost more than most of them. */
  #showAll(event: RunEvent, watching: PolicyRow<AnyObserver>): void {
    let next = 0;
    while (next < watching.length) {
      try {
        for (let entry = watching[next]; entry !== undefined; entry = watching[next]) {
          next += 1;
          const answer: unknown = entry.act(entry.part.state, event, this.run);
          if (answer !== undefined) refusePromise(answer, POLICY);
        }
      } catch (error) {
        this.#failing.push({ policy: nameAt(watching, next - 1), error });
      }
    }
  }

  /** Asks the policies in order, and applies the decisions of each before it asks the next. */
  #askAll(event: HostEvent, deciding: PolicyRow<AnyDecider>): void {
    let next = 0;
    while (next < deciding.length) {
      let decisions: readonly Decision[] | undefined;
      try {
        // Most policies decide nothing most of the time: one `try` covers all up to the first that does.
        for (let entry = deciding[next]; entry !== undefined; entry = deciding[next]) {
          next += 1;
          if (entry.part.disabled) continue;
          const answer = entry.act(this.run, entry.part.state, event);
          if (answer === undefined && this.#quiet) continue;
          refusePromise(answer, POLICY);
          decisions = readDecisions(answer, event.type);
          break;
        }
      } catch (error) {
        this.#fail(nameAt(deciding, next - 1), "decide", error);
      }
      if (decisions !== undefined) this.#apply(event, nameAt(deciding, next - 1), decisions);
    }
  }

  #apply(event: HostEvent, policy: string, decisions: readonly Decision[]): void {
    this.#answered.push(policy);
    const propose = (nudge: Nudge): void => void this.#proposals.push({ policy, nudge });
    try {
      applyDecisions(this.#context, {
        policy,
        decisions,
        event,
        vetoes: this.#maxVetoes,
        complete: this.#plan.complete.has(policy),
        propose,
      });
    } catch (error) {
      this.#fail(policy, "decide", error);
    }
    this.#quiet = this.#view.alerts.size === 0 && this.#view.openNudges.size === 0;
  }

  /** Appends a derived event to the step and folds it. Derived events are never decided on, so a step always ends. */
  readonly #derive = <K extends DerivedType>(type: K, by: string, body: Undefinable<DerivedEvents[K]>): void => {
    if (this.#cause === undefined) return;
    const { at, agent, turn, call, seq } = this.#cause;
    const event = defined({ type, seq: this.#view.seq + 1, at, cause: seq, by, agent, turn, call, ...body });
    const derived = freezeDeep(event) as unknown as DerivedEvent;
    this.#step.push(derived);
    this.#fold(derived);
    this.#recordFailures();
  };

  #recordFailures(): void {
    for (let next = this.#failing.shift(); next !== undefined; next = this.#failing.shift()) {
      if (!this.#view.disabled.has(next.policy)) this.#fail(next.policy, "observe", next.error);
    }
  }

  #fail(policy: string, during: DerivedEvents["policy.failed"]["during"], error: unknown): void {
    this.#derive("policy.failed", policy, { policy, during, message: messageOf(error) });
  }

  readonly #whyNot = (wanted: WantedMove): MoveRefusal | undefined => {
    return checkMove(this.#view, wanted, (guard) => {
      try {
        return this.#passGuard(guard);
      } catch (error) {
        this.#fail(typeof guard === "string" ? guard : "guard", "guard", error);
        return "The condition for this move failed.";
      }
    });
  };

  #passGuard(guard: Guard): boolean | string {
    const named = typeof guard === "function" ? undefined : this.#plan.guards.get(guard);
    if (typeof guard !== "function" && named === undefined) return `Nothing provides the condition "${guard}".`;
    const answer: unknown =
      typeof guard === "function" ? guard(this.run) : named?.guard(this.run, this.#partAt(named.place).state as never);
    refusePromise(answer, "a condition answers");
    return typeof answer === "string" ? clipText(answer, MAX_REFUSAL) : answer === true;
  }

  readonly #quietGuard = (guard: Guard): boolean | string => {
    try {
      return this.#passGuard(guard);
    } catch {
      return false;
    }
  };

  readonly #partAt = (place: number): PolicyPart => {
    return this.parts[place] as PolicyPart;
  };

  readonly #stateOf = (key: string): unknown => {
    const reader = this.#plan.readers.get(key);
    if (reader === undefined) return undefined;
    const { state } = this.#partAt(reader.place);
    return reader.within === undefined ? state : (state as readonly unknown[])[reader.within];
  };

  #startAnew(part: PolicyPart): void {
    try {
      const state: unknown = part.policy.initial?.();
      refusePromise(state, POLICY);
      part.state = state;
    } catch (error) {
      this.#failing.push({ policy: part.policy.name, error });
    }
  }
}
