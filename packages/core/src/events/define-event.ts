import { reservedEvent } from "../errors.ts";
import { type DerivedEvent, type HostEvent, isCoreType, type NewEvent, type RunEvent } from "./run-event.ts";
import { toJson } from "../text/json.ts";

/** A kind of event that a package or a user adds. */
export interface EventDefinition<T = unknown> {
  readonly name: string;
  /** The derived event a policy's `emit` becomes. */
  readonly derive: (data: T) => { readonly type: EmittedType; readonly body: object };
  /** The host event to `record`, when the host itself knows it. */
  readonly record: (data: T) => NewEvent<"event.recorded">;
  /** True if an event is of this kind; its data is then typed. */
  readonly is: (event: RunEvent) => event is DefinedEvent<T>;
}

/** An event of a kind made with `defineEvent`. */
export type DefinedEvent<T> = (HostEvent<"event.recorded"> | DerivedEvent<"event.emitted">) & { readonly data: T };

/** Events of core that policies may emit by their name. */
export type EmittedCoreType = "exploration.saturation" | "phase.timed-out";

type EmittedType = "event.emitted" | EmittedCoreType;

/**
 * Defines a typed event. The data must be JSON.
 *
 * @example
 * const lessonLearned = defineEvent<{ text: string }>("lesson.learned");
 * // in a policy: emit(lessonLearned, { text }); in a reader: lessonLearned.is(event) && event.data.text
 * @throws RESERVED_EVENT for the name of one of core's own events.
 */
export function defineEvent<T>(name: string): EventDefinition<T> {
  if (isCoreType(name)) throw reservedEvent(name);
  return {
    name,
    derive: (data) => ({ type: "event.emitted", body: { name, data: toJson(data) } }),
    record: (data) => ({ type: "event.recorded", name, data: toJson(data) }),
    is: (event): event is DefinedEvent<T> =>
      (event.type === "event.emitted" || event.type === "event.recorded") && event.name === name,
  };
}

/** The definition of an event of core that policies may emit. */
export function coreEvent(type: EmittedCoreType): Pick<EventDefinition, "name" | "derive"> {
  return { name: type, derive: (data) => ({ type, body: toJson(data) as object }) };
}

/** A user's expectation that changes how a run is judged. */
export interface Expectation {
  /** The user expects the same call many times: a poll, a series of measurements. */
  readonly repeats: boolean;
  /** True if the user asked for the same thing for many items, so that many calls may get the same answer. */
  readonly series?: boolean;
  /** False if the user asked for an answer, a review or a plan; true if the user asked for a change. */
  readonly edits?: boolean;
}

/** Recorded by the host, or read from a user message. It holds until the next message. */
export const expectationSet: EventDefinition<Expectation> = /* @__PURE__ */ defineEvent<Expectation>("expectation.set");

/**
 * Recorded by the host when the agent starts over: what was read, tried and repeated before no longer counts. What
 * was changed and not checked still does.
 */
export const startedOver: EventDefinition<{ readonly why?: string }> = /* @__PURE__ */ defineEvent<{
  readonly why?: string;
}>("run.started-over");
