import type { DerivedFacts } from "./derived-facts.ts";
import { type Described, list, name, oneOf, shape, text } from "./field.ts";
import { type actor, childFacts, commandFacts, type entryOutcome, runFacts, type usage } from "./run-facts.ts";
import { finishFacts, messageFacts, toolFacts, turnFacts } from "./tool-facts.ts";
import { workFacts } from "./work-facts.ts";

/** Every host fact with its fields, in the order they are stored. */
export const hostFacts = {
  ...runFacts,
  ...turnFacts,
  ...toolFacts,
  ...messageFacts,
  ...finishFacts,
  ...commandFacts,
  ...workFacts,
  ...childFacts,
} as const;

type FieldValue<F> = F extends { readonly take: (...args: never[]) => infer T } ? Exclude<T, undefined> : never;

const doorFailure = shape({ name, during: oneOf("interpret", "redact", "text"), message: text });

/** The field `faults` of every host fact: what failed while it was taken. */
export const doorFailures = list(doorFailure);

/** Who asks for a move: the agent, a policy, a judge, a person, or the host's own code. */
export type Actor = FieldValue<typeof actor>;
/** How a phase entry ended. */
export type EntryOutcome = FieldValue<typeof entryOutcome>;
/** What a model call cost, as far as it is known. */
export type Usage = FieldValue<typeof usage>;

/** The name of a fact that is told to the run. */
export type HostType = keyof typeof hostFacts;
/** The name of a fact the run derives from decisions. */
export type DerivedType = keyof DerivedFacts;
/** The name of any fact. */
export type EventType = HostType | DerivedType;

/** What every event carries. */
interface EventBase<TType extends EventType> {
  readonly type: TType;
  /** The version of this type's shape; absent means 1. */
  readonly v?: number;
  readonly seq: number;
  /** Milliseconds since 1970; never runs backwards within a run. */
  readonly at: number;
  readonly agent?: string;
  readonly turn?: number;
  readonly call?: string;
  /** The place of a call in its turn's parallel batch. */
  readonly index?: number;
  /** The sub-loop this belongs to, when the host has several. */
  readonly loop?: string;
}

type HostBody<K extends HostType> = Described<(typeof hostFacts)[K]>;

interface HostBase<K extends HostType> extends EventBase<K> {
  readonly cause?: undefined;
  readonly faults?: readonly DoorFailure[];
}

// One event under a name of its own: what is resolved from a conditional type has none, and the compiler would spell it out.
type HostEventOf<K extends HostType> = HostBase<K> & HostBody<K>;

/** A fact somebody told the run. */
export type HostEvent<K extends HostType = HostType> = K extends HostType ? HostEventOf<K> : never;

/** An interpreter, a text watcher or the redactor threw while the fact was taken. Stored, so that replay agrees. */
export type DoorFailure = FieldValue<typeof doorFailure>;

interface DerivedBase<K extends DerivedType> extends EventBase<K> {
  readonly cause: number;
  readonly by: string;
}

type DerivedEventOf<K extends DerivedType> = DerivedBase<K> & DerivedFacts[K];

/** A fact the run derived: `cause` is the seq of its host fact, `by` the policy, or who gave the command. */
export type DerivedEvent<K extends DerivedType = DerivedType> = K extends DerivedType ? DerivedEventOf<K> : never;

/** Anything in a run's log. */
export type RunEvent = HostEvent | DerivedEvent;

/** The event of one type. */
export type EventOf<K extends EventType> = K extends HostType ? HostEvent<K> : K extends DerivedType ? DerivedEvent<K> : never;

type Loosen<T, K extends keyof T> = Omit<T, K> & { readonly [P in K]?: T[P] };

/** What the run fills in by itself may be left out; a message is told by its text. */
interface LooseBodies {
  "tool.requested": Loosen<HostBody<"tool.requested">, "meaning">;
  "tool.finished": Loosen<HostBody<"tool.finished">, "meaning" | "tool">;
  "message.sent": MessageText | Omit<HostBody<"message.sent">, "found">;
  "message.received": (MessageText & { readonly from?: string }) | HostBody<"message.received">;
}
interface MessageText {
  readonly text: string;
}

interface NewFactBase<K extends HostType> {
  readonly type: K;
  readonly at?: number;
  readonly agent?: string;
  readonly call?: string;
  readonly loop?: string;
}

type NewFactOf<K extends HostType> = NewFactBase<K> & (K extends keyof LooseBodies ? LooseBodies[K] : HostBody<K>);

/** A fact as a host hands it in: no sequence number, and only what the host knows. */
export type NewFact<K extends Exclude<HostType, "run.started"> = Exclude<HostType, "run.started">> = K extends HostType
  ? NewFactOf<K>
  : never;

const DERIVED: Readonly<Record<DerivedType, true>> = {
  "phase.transition": true,
  "phase.refused": true,
  "phase.skipped": true,
  "phase.rolled-back": true,
  "phase.timed-out": true,
  "exploration.saturation": true,
  "nudge.sent": true,
  "nudge.dropped": true,
  "nudge.settled": true,
  "alert.raised": true,
  "alert.cleared": true,
  "tool.refused": true,
  "finish.vetoed": true,
  "finish.vouched": true,
  "review.requested": true,
  "stop.requested": true,
  "policy.failed": true,
  "fact.emitted": true,
};

/** Every host fact's name. */
export const hostTypes = Object.keys(hostFacts) as readonly HostType[];
/** Every derived fact's name. */
export const derivedTypes = Object.keys(DERIVED) as readonly DerivedType[];

/** Whether a name is that of a host fact. */
export function isHostType(type: string): type is HostType {
  return Object.hasOwn(hostFacts, type);
}

/** Whether a name is that of a derived fact. */
export function isDerivedType(type: string): type is DerivedType {
  return Object.hasOwn(DERIVED, type);
}

/** Whether an event was told to the run, not derived by it. */
export function isHostFact(event: RunEvent): event is HostEvent {
  return isHostType(event.type);
}
