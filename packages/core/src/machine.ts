import type { NudgeLimits, Proposal } from "./arbitrate-nudges.ts";
import { carryOut, diffAlerts, speak, type VetoLimits } from "./carry-out.ts";
import type { Decision } from "./decision.ts";
import type { Deriving } from "./deriving.ts";
import { messageOf } from "./error-shape.ts";
import type { DerivedFacts } from "./facts/derived-facts.ts";
import type { Actor, DerivedEvent, DerivedType, EventType, HostEvent, RunEvent } from "./facts/run-event.ts";
import { startsCycle } from "./fold-phases.ts";
import { foldView } from "./fold-view.ts";
import { answerCommand } from "./move-run.ts";
import { checkMove, type MoveRefusal, type WantedMove } from "./moves.ts";
import type { Guard } from "./phase-graph.ts";
import type { Policy } from "./policy.ts";
import type { AnyDecider, AnyObserver, PlannedRow, PolicyPlan } from "./policy-plan.ts";
import { isReason } from "./reason-codes.ts";
import type { Mode, RunView, StateKey } from "./run-view.ts";
import type { ViewState } from "./view-state.ts";

/** What turns host facts into steps: the view, the policies and their states. It reads no clock and keeps no log. */
export interface Machine {
  readonly view: ViewState;
  readonly run: RunView<string>;
  /** Takes one host fact and everything it causes. */
  readonly step: (event: HostEvent) => readonly RunEvent[];
  /** Folds a stored event: nothing is decided. */
  readonly fold: (event: RunEvent) => void;
  /** The earliest deadline that has not been ticked. */
  readonly wakeAt: () => number | undefined;
  /** Whether a policy acts in a mode at least this strict. */
  readonly acts: (policy: string, least: Mode) => boolean;
}

interface Part {
  readonly policy: Policy;
  state: unknown;
  /** Copied from the view, where it is folded from `policy.failed`: asked for every policy that decides. */
  disabled: boolean;
}

type Row<T> = readonly { readonly part: Part; readonly act: T }[];

const STRICTNESS: Readonly<Record<Mode, number>> = { observe: 0, nudge: 1, gate: 2 };
const NOTHING: readonly Decision[] = [];

const LEGAL: Readonly<Record<Decision["decision"], readonly EventType[] | "any">> = {
  nudge: ["turn.started", "review.finished"],
  review: ["turn.started"],
  refuse: ["tool.requested"],
  veto: ["finish.requested"],
  vouch: ["finish.requested"],
  transition: "any",
  alert: "any",
  stop: "any",
  emit: "any",
};

/** Puts a view and policies together. */
export function createMachine({ view, plan, nudges, maxVetoes }: {
  readonly view: ViewState;
  readonly plan: PolicyPlan;
  readonly nudges: NudgeLimits;
  readonly maxVetoes: VetoLimits;
}): Machine {
  const { readers, guards, sleepers, modes, sayAll } = plan;
  const parts: readonly Part[] = plan.policies.map((policy) => ({ policy, state: policy.initial?.(), disabled: false }));
  let observers = rowsOf(plan.observers, parts);
  const deciders = rowsOf(plan.deciders, parts);
  const run = createView(view, { stateOf, mayMove: (move) => checkMove(view, move, quietGuard) === undefined });

  let step: RunEvent[] = [];
  let cause: HostEvent | undefined;
  let proposals: Proposal[] = [];
  /** The policies that were asked in this step and did not fail. */
  let answered: string[] = [];
  /** No alert or nudge is open, so a policy that says nothing changes nothing. */
  let quiet = true;
  const deriving: Deriving = { view, cause: () => cause, derive, acts, whyNot };
  const failing: { readonly policy: string; readonly error: unknown }[] = [];

  const partAt = (place: number): Part => parts[place] as Part;

  function stateOf(key: string): unknown {
    const reader = readers.get(key);
    if (reader === undefined) return undefined;
    const { state } = partAt(reader.place);
    return reader.within === undefined ? state : (state as readonly unknown[])[reader.within];
  }

  /** Shows an event to the view, then to every policy. */
  function fold(event: RunEvent): void {
    foldView(view, event);
    if (event.type === "policy.failed") {
      for (const part of parts) part.disabled = view.disabled.has(part.policy.name);
      observers = rowsOf(plan.observers, parts);
    }
    const watching = observers(event.type);
    // A policy is not shown its own failure: it would fail on it again.
    showAll(event, event.type === "policy.failed" ? watching.filter(({ part }) => part.policy.name !== event.policy) : watching);
    if (event.type === "phase.transition" && startsCycle(view.graph, event)) {
      for (const part of parts) if (part.policy.perCycle === true) startAnew(part);
    }
  }

  function startAnew(part: Part): void {
    try {
      part.state = part.policy.initial?.();
    } catch (error) {
      failing.push({ policy: part.policy.name, error });
    }
  }

  /** Entering a try for each of a hundred policies would cost more than what they do, so one try holds all up to a failure. */
  function showAll(event: RunEvent, watching: Row<AnyObserver>): void {
    let next = 0;
    while (next < watching.length) {
      try {
        for (let entry = watching[next]; entry !== undefined; entry = watching[next]) {
          next += 1;
          const answer: unknown = entry.act(entry.part.state, event, run);
          if (answer !== undefined) refusePromise(answer);
        }
      } catch (error) {
        failing.push({ policy: nameAt(watching, next - 1), error });
      }
    }
  }

  /** Folds a stored event. What throws here threw in the live run too, and the log already says so. */
  function foldStored(event: RunEvent): void {
    fold(event);
    failing.length = 0;
  }

  function takeStep(event: HostEvent): readonly RunEvent[] {
    step = [event];
    cause = event;
    fold(event);
    recordFailures();
    for (const { name, during, message } of event.faults ?? []) derive("policy.failed", name, { policy: name, during, message });
    if (event.type === "move.requested") answerCommand(deriving, event);
    proposals = [];
    answered = [];
    quiet = view.alerts.size === 0 && view.openNudges.size === 0;
    askAll(event, deciders(event.type));
    if (event.type === "turn.started") speak(deriving, { proposals, asked: new Set(answered), limits: nudges });
    // A turn that waited for its review is told what came of it; any other host has asked the model meanwhile.
    else if (event.type === "review.finished" && event.waited === true && view.turnOpen) speak(deriving, { proposals, asked: new Set(), limits: nudges });
    const done = step;
    step = [];
    cause = undefined;
    return done;
  }

  function derive<K extends DerivedType>(type: K, by: string, body: DerivedFacts[K]): void {
    if (cause === undefined) return;
    const event: Record<string, unknown> = { type, seq: view.seq + 1, at: cause.at, cause: cause.seq, by };
    if (cause.agent !== undefined) event["agent"] = cause.agent;
    if (cause.turn !== undefined) event["turn"] = cause.turn;
    if (cause.call !== undefined) event["call"] = cause.call;
    const derived = Object.assign(event, body) as unknown as DerivedEvent;
    step.push(derived);
    fold(derived);
    recordFailures();
  }

  function recordFailures(): void {
    for (let next = failing.shift(); next !== undefined; next = failing.shift()) {
      if (!view.disabled.has(next.policy)) fail(next.policy, "observe", next.error);
    }
  }

  function fail(policy: string, during: DerivedFacts["policy.failed"]["during"], error: unknown): void {
    derive("policy.failed", policy, { policy, during, message: messageOf(error) });
  }

  /** Asks every policy in turn and carries out what each decides before the next one is asked. */
  function askAll(event: HostEvent, deciding: Row<AnyDecider>): void {
    let next = 0;
    while (next < deciding.length) {
      let decisions: readonly Decision[] | undefined;
      try {
        // Most policies have nothing to say most of the time: one try holds all up to the first that speaks.
        for (let entry = deciding[next]; entry !== undefined; entry = deciding[next]) {
          next += 1;
          if (entry.part.disabled) continue;
          const answer = entry.act(run, entry.part.state, event);
          if (answer === undefined && quiet) continue;
          refusePromise(answer);
          const given = listOf(answer);
          for (const decision of given) checkLegal(decision, event.type);
          decisions = given;
          break;
        }
      } catch (error) {
        fail(nameAt(deciding, next - 1), "decide", error);
      }
      if (decisions !== undefined) heed(event, nameAt(deciding, next - 1), decisions);
    }
  }

  function heed(event: HostEvent, policy: string, decisions: readonly Decision[]): void {
    answered.push(policy);
    diffAlerts(deriving, policy, { decisions, on: event.type, all: sayAll.has(policy) });
    for (const decision of decisions) {
      if (decision.decision === "nudge") proposals.push({ policy, nudge: decision });
      else carryOut(deriving, { policy, decision, event, vetoes: maxVetoes });
    }
    quiet = view.alerts.size === 0 && view.openNudges.size === 0;
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
    if (typeof guard === "function") return guard(run);
    const named = guards.get(guard);
    return named === undefined ? `Nothing provides the condition "${guard}".` : named.guard(run, partAt(named.place).state as never);
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

  function deadlineOf({ policy, state, disabled }: Part): number | undefined {
    if (disabled) return undefined;
    try {
      return policy.wakeAt?.(run, state as never);
    } catch {
      return undefined;
    }
  }

  function wakeAt(): number | undefined {
    if (view.status === "suspended") return (view.suspendUntil ?? 0) > view.tickedAt ? view.suspendUntil : undefined;
    if (view.status === "ended") return undefined;
    let earliest: number | undefined;
    for (const place of sleepers) {
      const deadline = deadlineOf(partAt(place));
      if (deadline !== undefined && deadline > view.tickedAt && !(deadline >= (earliest ?? Infinity))) earliest = deadline;
    }
    return earliest;
  }

  return { view, run, step: takeStep, fold: foldStored, wakeAt, acts };
}

/** Whatever a policy returned as a list; policies in JavaScript also return null or false. */
function listOf(answer: unknown): readonly Decision[] {
  if (answer === undefined || answer === null || answer === false) return NOTHING;
  return (Array.isArray(answer) ? answer : [answer]) as readonly Decision[];
}

/** An asynchronous policy would change its state or decide when nobody asks any more; its rejection must not end the process. */
function refusePromise(answer: unknown): void {
  if (typeof answer !== "object" || answer === null || typeof (answer as { readonly then?: unknown }).then !== "function") return;
  Promise.resolve(answer).catch(() => undefined);
  throw new TypeError("it returned a promise: a policy observes and decides at once");
}

const SPOKEN: readonly string[] = ["nudge", "review", "refuse", "veto"] satisfies readonly Decision["decision"][];

function checkLegal({ decision, text, reason }: Decision & { readonly text?: unknown; readonly reason?: unknown }, type: EventType): void {
  const legal = (LEGAL as Readonly<Record<string, readonly EventType[] | "any" | undefined>>)[decision];
  if (legal === undefined) throw new TypeError(`"${decision}" is not a decision`);
  if (legal !== "any" && !legal.includes(type)) throw new TypeError(`${decision} is possible at "${legal.join('" and "')}" only, not at "${type}"`);
  if (SPOKEN.includes(decision) && typeof text !== "string") throw new TypeError(`${decision} needs a text`);
  if (decision === "stop" && !isReason(reason)) throw new TypeError(`${JSON.stringify(reason)} is not a reason to stop`);
}

/** The rows of a plan with the parts of one run in them that are not switched off, made when a fact of their type comes for the first time. */
function rowsOf<T>(planned: ReadonlyMap<EventType, PlannedRow<T>>, parts: readonly Part[]): (type: EventType) => Row<T> {
  const rows = new Map<EventType, Row<T>>();
  return (type) => {
    let row = rows.get(type);
    if (row === undefined) {
      row = (planned.get(type) ?? []).map(({ place, act }) => ({ part: parts[place] as Part, act })).filter(({ part }) => !part.disabled);
      rows.set(type, row);
    }
    return row;
  };
}

const nameAt = (row: Row<unknown>, index: number): string => row[index]?.part.policy.name ?? "";

/** Gives the view its questions. The view itself stays one live object. */
function createView(view: ViewState, { stateOf, mayMove }: {
  readonly stateOf: (key: string) => unknown;
  readonly mayMove: (move: WantedMove) => boolean;
}): RunView<string> {
  return Object.assign(view, {
    isIn: (...phases: readonly string[]) => phases.includes(view.phase),
    canMove: (to: string, actor: Actor = "policy") => to !== view.phase && mayMove({ to, actor }),
    nudgeCount: (policy: string) => view.nudgeCounts.get(policy) ?? 0,
    read: <T>(key: StateKey<T>) => stateOf(key.name) as T | undefined,
  });
}
