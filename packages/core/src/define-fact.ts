import type { DerivedFacts } from "./facts/derived-facts.ts";
import type { DerivedEvent, HostEvent, NewFact, RunEvent } from "./facts/run-event.ts";
import { toJson } from "./json.ts";

/** A kind of fact that a package or a user adds. */
export interface FactKind<T = unknown> {
  readonly name: string;
  /** The derived fact a policy's `emit` becomes. */
  readonly derive: (data: T) => { readonly type: EmittedType; readonly body: object };
  /** The host fact to `record`, when the host itself knows it. */
  readonly record: (data: T) => NewFact<"fact.recorded">;
  /** Whether an event is of this kind; its data is then typed. */
  readonly is: (event: RunEvent) => event is FactEvent<T>;
}

/** An event of a kind made with `defineFact`. */
export type FactEvent<T> = (HostEvent<"fact.recorded"> | DerivedEvent<"fact.emitted">) & { readonly data: T };

type EmittedType = "fact.emitted" | "exploration.saturation" | "phase.timed-out";

/**
 * Adds a typed fact. The data must be JSON.
 *
 * @example
 * const lessonLearned = defineFact<{ text: string }>("lesson.learned");
 * // in a policy: emit(lessonLearned, { text }); in a reader: lessonLearned.is(event) && event.data.text
 */
export function defineFact<T>(name: string): FactKind<T> {
  return {
    name,
    derive: (data) => ({ type: "fact.emitted", body: { name, data: toJson(data) } }),
    record: (data) => ({ type: "fact.recorded", name, data: toJson(data) }),
    is: (event): event is FactEvent<T> =>
      (event.type === "fact.emitted" || event.type === "fact.recorded") && event.name === name,
  };
}

function coreFact<K extends "exploration.saturation" | "phase.timed-out">(type: K): Pick<FactKind<DerivedFacts[K]>, "name" | "derive"> {
  return { name: type, derive: (data) => ({ type, body: toJson(data) as object }) };
}

/** Exploring goes on without bringing anything new. */
export const explorationSaturation = coreFact("exploration.saturation");
/** A phase entry outlived the time its phase allows. */
export const phaseTimedOut = coreFact("phase.timed-out");
