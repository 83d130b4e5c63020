import type { DerivedEvents } from "./derived-events.ts";
import { type FieldValues, list, name, oneOf, shape, text } from "./field.ts";
import {
  type actor,
  budgetEvents,
  childEvents,
  commandEvents,
  type entryOutcome,
  runEvents,
  type usage,
} from "./run-events.ts";
import { finishEvents, messageEvents, toolEvents, turnEvents } from "./tool-events.ts";
import { workEvents } from "./work-events.ts";

/** Every host event with its fields, in the order they are stored. */
export const hostEventFields = {
  ...runEvents,
  ...turnEvents,
  ...toolEvents,
  ...messageEvents,
  ...finishEvents,
  ...commandEvents,
  ...budgetEvents,
  ...workEvents,
  ...childEvents,
} as const;

type FieldValue<F> = F extends { readonly take: (...args: never[]) => infer T } ? Exclude<T, undefined> : never;

const ingestFaultShape = shape({
  name,
  during: oneOf("interpret", "redact", "text", "clock", "record"),
  message: text,
});

/** The field `faults` of every host event: failures while it was ingested. */
export const ingestFaults = list(ingestFaultShape);

/** The actor of a move: the agent, a policy, a judge, a person, or the host's own code. */
export type Actor = FieldValue<typeof actor>;
/** How a phase entry ended. */
export type EntryOutcome = FieldValue<typeof entryOutcome>;
/** The usage of a model call, as far as it is known. */
export type Usage = FieldValue<typeof usage>;

/** The name of an event the host records. */
export type HostType = keyof typeof hostEventFields;
/** The name of an event the run derives from decisions. */
export type DerivedType = keyof DerivedEvents;
/** The type of any event. */
export type EventType = HostType | DerivedType;

/** Members of every event. */
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

type HostBody<K extends HostType> = FieldValues<(typeof hostEventFields)[K]>;

interface HostBase<K extends HostType> extends EventBase<K> {
  readonly cause?: undefined;
  readonly faults?: readonly IngestFault[];
}

// A name for one event: without it, the compiler would spell out the resolved conditional type.
type HostEventOf<K extends HostType> = HostBase<K> & HostBody<K>;

/** An event the host recorded, as it is stored. */
export type HostEvent<K extends HostType = HostType> = K extends HostType ? HostEventOf<K> : never;

/** Failures of interpreters, text watchers, redactor and clock during ingestion. Stored, so that replay agrees. */
export type IngestFault = FieldValue<typeof ingestFaultShape>;

interface DerivedBase<K extends DerivedType> extends EventBase<K> {
  readonly cause: number;
  readonly by: string;
}

type DerivedEventOf<K extends DerivedType> = DerivedBase<K> & DerivedEvents[K];

/** An event the run derived: `cause` is the seq of its host event, `by` the policy, or who gave the command. */
export type DerivedEvent<K extends DerivedType = DerivedType> = K extends DerivedType ? DerivedEventOf<K> : never;

/** Anything in a run's log. */
export type RunEvent = HostEvent | DerivedEvent;

/** The event of one type. */
export type EventOf<K extends EventType> = K extends HostType
  ? HostEvent<K>
  : K extends DerivedType
    ? DerivedEvent<K>
    : never;

type Loosen<T, K extends keyof T> = Omit<T, K> & { readonly [P in K]?: T[P] };

/** A thrown value, or its text, is as good as the fields of an error. */
interface LooseError {
  readonly error?: HostBody<"tool.finished">["error"] | Error | string;
}

/** Fields the run fills in are optional; a message is recorded with its text. */
interface LooseBodies {
  "tool.requested": Loosen<HostBody<"tool.requested">, "meaning">;
  "tool.finished": Omit<HostBody<"tool.finished">, "meaning" | "tool" | "error"> &
    Partial<Pick<HostBody<"tool.finished">, "meaning" | "tool">> &
    LooseError;
  "model.failed": Omit<HostBody<"model.failed">, "error"> & LooseError;
  "message.sent": MessageText | Omit<HostBody<"message.sent">, "found">;
  "model.reasoned": MessageText | Omit<HostBody<"model.reasoned">, "found">;
  "message.received":
    (MessageText & { readonly from?: string; readonly inRequest?: boolean }) | HostBody<"message.received">;
}
interface MessageText {
  readonly text: string;
}

interface NewEventBase<K extends HostType> {
  readonly type: K;
  readonly at?: number;
  readonly agent?: string;
  readonly call?: string;
  readonly loop?: string;
}

type NewEventOf<K extends HostType> = NewEventBase<K> & (K extends keyof LooseBodies ? LooseBodies[K] : HostBody<K>);

/** An event as a host records it: without a sequence number, and with only what the host knows. */
export type NewEvent<K extends Exclude<HostType, "run.started"> = Exclude<HostType, "run.started">> = K extends HostType
  ? NewEventOf<K>
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
  "event.emitted": true,
};

/** Every host event's name. */
export const hostTypes = Object.keys(hostEventFields) as readonly HostType[];
/** Every derived event's name. */
export const derivedTypes = Object.keys(DERIVED) as readonly DerivedType[];

/** True if a name is that of a host event. */
export function isHostType(type: string): type is HostType {
  return Object.hasOwn(hostEventFields, type);
}

/** True if a name is that of a derived event. */
export function isDerivedType(type: string): type is DerivedType {
  return Object.hasOwn(DERIVED, type);
}

/** True if a name is that of one of core's events, so that no event of another package may have it. */
export function isCoreType(name: string): name is EventType {
  return isHostType(name) || isDerivedType(name);
}

/** True if an event is one that hosts record; false if the run derives it, or if nothing of core has its type. */
export function isHostEvent(event: { readonly type: string }): event is HostEvent {
  return isHostType(event.type);
}
