import type { DerivedEvents, StopHow } from "../events/derived-events.ts";
import { invalidOption } from "../errors.ts";
import type { EntryOutcome } from "../events/run-event.ts";
import { coreEvent, type EmittedCoreType, type EventDefinition } from "../events/define-event.ts";
import type { VouchVerdict } from "../account/evidence.ts";
import type { Json } from "../text/json.ts";
import type { Reason } from "../events/reason-codes.ts";

/** How bad a loop or failure has become. */
export type Severity = "notice" | "warning" | "critical";

const RANK: Readonly<Record<Severity, number>> = { notice: 0, warning: 1, critical: 2 };

/** The place of a severity in their order; the worst is the highest. */
export function severityRank(severity: Severity): number {
  return RANK[severity];
}

/** Says something to the agent before its next turn. */
export interface Nudge {
  readonly decision: "nudge";
  readonly text: string;
  readonly priority: number;
  /** The episode of the nudge; inside it, a repetition is not sent. Absent: the phase entry. */
  readonly episode?: string;
  /** Of several nudges on one topic only the one with the highest priority is sent. */
  readonly topic?: string;
  /** How often it may be said in one episode. */
  readonly times: number;
  readonly guidance: boolean;
}

/** Moves the run to another phase. */
export interface Transition<TPhase extends string = string> {
  readonly decision: "transition";
  readonly to: TPhase;
  readonly reason?: string;
  readonly summary?: string;
  readonly outcome?: EntryOutcome;
  readonly endReason?: Reason;
  readonly predicate?: string;
}

/** Reports evidence of thrash. A level: return it as long as it holds. */
export interface Alert {
  readonly decision: "alert";
  readonly kind: string;
  readonly signature: string;
  readonly severity: Severity;
  readonly count: number;
  /** The fingerprint of the call it is about. */
  readonly subject?: string;
  readonly evidence?: Json;
}

/** Refuses a tool call; only mode `gate` carries it out. */
export interface Refuse {
  readonly decision: "refuse";
  readonly text: string;
}

/** Says that a gate is not met; only mode `gate` sends the agent back to work. */
export interface Veto {
  readonly decision: "veto";
  readonly text: string;
  readonly gate?: string;
  /** One sentence for people; absent: the text. */
  readonly why?: string;
  readonly evidence?: Json;
  /** False for an objection: it is recorded and makes the run unverified, but never sends the agent back. */
  readonly sendBack: boolean;
}

/** Says that a gate is met, and by what evidence. */
export interface Vouch {
  readonly decision: "vouch";
  readonly gate?: string;
  readonly verdict: VouchVerdict;
  /** One sentence for people. */
  readonly why?: string;
  readonly evidence?: Json;
}

/** Asks a reviewer what to do. */
export interface Review {
  readonly decision: "review";
  readonly kind: string;
  readonly text: string;
  readonly episode?: string;
  /** Details for the reviewer's code. */
  readonly data?: Json;
  /** True: asked in mode `gate` only. */
  readonly onlyInGate: boolean;
}

/** Asks the host to stop. */
export interface Stop {
  readonly decision: "stop";
  readonly reason: Reason;
  readonly how: StopHow;
  readonly text?: string;
  /** True: carried out in mode `gate` only, as consequences a policy infers. A limit the user wrote: in `nudge` too. */
  readonly onlyInGate: boolean;
}

/** Records an event of the policy's own. */
export interface Emit {
  readonly decision: "emit";
  readonly event: Pick<EventDefinition, "name" | "derive">;
  readonly data: unknown;
}

/** Anything a policy may decide. */
export type Decision<TPhase extends string = string> =
  Nudge | Transition<TPhase> | Alert | Refuse | Veto | Vouch | Review | Stop | Emit;

/** Legal at every host event. */
export type AnytimeDecision<TPhase extends string = string> = Transition<TPhase> | Alert | Stop | Emit;
/** Legal when a turn starts. */
export type TurnDecision<TPhase extends string = string> = AnytimeDecision<TPhase> | Nudge | Review;
/** Legal when a tool call is requested. */
export type ToolDecision<TPhase extends string = string> = AnytimeDecision<TPhase> | Refuse;
/** Legal when the agent wants to finish. */
export type FinishDecision<TPhase extends string = string> = AnytimeDecision<TPhase> | Veto | Vouch;

/** A short message to the agent. Repeating it inside its episode is silence, so a policy need not remember. */
export function nudge(
  text: string,
  options: {
    /** Higher comes first and wins a topic. @default 0 */
    readonly priority?: number;
    readonly episode?: string;
    readonly topic?: string;
    /** How often in one episode, at most the run's limit. @default 1 */
    readonly times?: number;
    /** Phase guidance: outside cooldown and cap. @default false */
    readonly guidance?: boolean;
  } = {},
): Nudge {
  if (text.trim() === "") throw invalidOption("text", "it must be a text that is not empty");
  return { decision: "nudge", text, priority: 0, times: 1, guidance: false, ...options };
}

/** Moves the run; the graph says whether that is allowed. */
export function transition<const TPhase extends string>(
  to: TPhase,
  options: Omit<Transition, "decision" | "to"> = {},
): Transition<TPhase> {
  return { decision: "transition", to, ...options };
}

/** How severe a count of repetitions is: a notice below 4, a warning at 4 and 5, critical from 6. */
export function severityOf(count: number): Severity {
  return count < 4 ? "notice" : count < 6 ? "warning" : "critical";
}

/** Evidence of thrash, for as long as it is returned. Severity follows the count unless given. */
export function alert(options: {
  readonly kind: string;
  readonly signature?: string;
  readonly count?: number;
  readonly severity?: Severity;
  readonly subject?: string;
  readonly evidence?: Json;
}): Alert {
  const { count = 1 } = options;
  return { decision: "alert", signature: "", severity: severityOf(count), ...options, count };
}

/** Refuses the requested tool call; the text is what the agent reads instead of a result. */
export function refuse(text: string): Refuse {
  return { decision: "refuse", text };
}

/** Objects to a finish: the text says what is missing. The gate is the policy's name unless given. */
export function veto(
  text: string,
  options: {
    readonly gate?: string;
    readonly why?: string;
    readonly evidence?: Json;
    /** False: the objection is recorded, and the agent is not sent back. @default true */
    readonly sendBack?: boolean;
  } = {},
): Veto {
  return { decision: "veto", text, sendBack: true, ...options };
}

/** Vouches for a finish. A run counts as verified when a gate shows that the work is right and none objects. */
export function vouch(
  options: {
    readonly gate?: string;
    /** @default "pass" */
    readonly verdict?: VouchVerdict;
    readonly why?: string;
    readonly evidence?: Json;
  } = {},
): Vouch {
  return { decision: "vouch", verdict: "pass", ...options };
}

/** Asks for a review; the adapter waits for `review.finished` at a safe point. */
export function review(options: {
  readonly kind: string;
  readonly text: string;
  readonly episode?: string;
  readonly data?: Json;
  /** Ask in mode `gate` only. @default false */
  readonly onlyInGate?: boolean;
}): Review {
  return { decision: "review", onlyInGate: false, ...options };
}

/** Asks the host to stop. */
export function stop(
  options: {
    /** @default "policy_stop" */
    readonly reason?: Reason;
    /** @default "halt" */
    readonly how?: StopHow;
    readonly text?: string;
    /** Stop in mode `gate` only. @default false */
    readonly onlyInGate?: boolean;
  } = {},
): Stop {
  return { decision: "stop", reason: "policy_stop", how: "halt", onlyInGate: false, ...options };
}

/** Records an event that `defineEvent` described, or one of core's own that a policy may know. */
export function emit<K extends EmittedCoreType>(event: K, data: DerivedEvents[K]): Emit;
export function emit<T>(event: Pick<EventDefinition<T>, "name" | "derive">, data: T): Emit;
export function emit(event: EmittedCoreType | Emit["event"], data: unknown): Emit {
  return { decision: "emit", event: typeof event === "string" ? coreEvent(event) : event, data };
}
