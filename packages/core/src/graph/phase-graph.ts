import type { Actor } from "../events/run-event.ts";
import type { Json } from "../text/json.ts";
import type { Activity } from "../events/meaning.ts";
import { ownValue } from "../text/own-value.ts";
import type { RunView } from "../view/run-view.ts";

/** A condition on a move: a name from a policy's `guards`, or a function. `true` lets the move pass. */
export type Guard = string | ((run: RunView) => boolean | string);

/** A move that is conditional or reserved. */
export interface PhaseEdge<TPhase extends string = string> {
  readonly to: TPhase;
  readonly guard?: Guard;
  /** Actors that may take it. @default all */
  readonly by?: readonly Actor[];
  /** FieldContext it starts a new cycle: what policies remember per cycle is cleared. */
  readonly fresh?: boolean;
}

/** One phase: where a run may go next, and everything that is true while it stays. */
export interface PhaseSpec<TPhase extends string = string> {
  readonly next: readonly (TPhase | PhaseEdge<TPhase>)[];
  readonly purpose?: string;
  /** When to enter it. */
  readonly entry?: readonly string[];
  /** Key activities, for people and prompts. */
  readonly work?: readonly string[];
  /** When it is complete. */
  readonly exit?: readonly string[];
  readonly constraints?: readonly string[];
  /** Sent to the agent on entry: one text, or one by agent name with a `default`. */
  readonly guidance?: string | Readonly<Record<string, string>>;
  /** Notes about the workspace, sent with the guidance. */
  readonly notes?: readonly string[];
  /** The role that typically works here. */
  readonly agents?: readonly string[];
  /** Tools by name; `*` stands for any characters. Enforced in mode `gate`. */
  readonly tools?: { readonly allow?: readonly string[]; readonly deny?: readonly string[] };
  /** Activities that are refused whatever the tool is called. Enforced in mode `gate`. */
  readonly activities?: { readonly deny?: readonly Activity[] };
  /** A label the adapter resolves to a model. */
  readonly model?: string;
  /** Active time one stay may take. */
  readonly timeoutMs?: number;
  /** Turns one stay should take. */
  readonly maxTurns?: number;
  /** Share of the whole budget, between 0 and 1. */
  readonly share?: number;
  /** Success has two tiers: some usable output, or all of it. */
  readonly partial?: boolean;
  /**
   * The run is meant to end here. Nothing is refused elsewhere: the outcome names the phase, and in development a line
   * says that a run ended as done outside. A run that must not end early has a `required` visit or a gate.
   */
  readonly final?: boolean;
  /** Entering it clears what policies remember of the last cycle. */
  readonly fresh?: boolean;
  /** The phase waits for people, so that a long silence is normal here: no policy reports it. @default false */
  readonly waiting?: boolean;
  readonly data?: Json;
}

/** After `after`, the run owes a visit to `visit` before it enters `before` or, with "end", before it finishes. */
export interface RequiredVisit<TPhase extends string = string> {
  readonly after: TPhase;
  readonly visit: TPhase;
  readonly before: TPhase | "end";
  /** Owed as soon as `after` is entered, or only once it was left as completed. @default "entered" */
  readonly when?: "entered" | "completed";
}

/** The phases and the moves between them: plain data. */
export interface PhaseGraph<TPhase extends string = string> {
  readonly name?: string;
  readonly initial: TPhase;
  readonly phases: Readonly<Record<TPhase, PhaseSpec<TPhase>>>;
  readonly required?: readonly RequiredVisit<TPhase>[];
  /** The activity that leads into a phase when a tracker infers phases from what the agent does. */
  readonly inferred?: Readonly<Partial<Record<TPhase, readonly Activity[]>>>;
}

/**
 * Describes a phase graph; a misspelt phase is a compile error. Use `checkGraph` for what types cannot see.
 *
 * @example
 * const support = definePhaseGraph({
 *   name: "support",
 *   initial: "triage",
 *   phases: { triage: { next: ["answer"] }, answer: { next: [], final: true } },
 * });
 */
export function definePhaseGraph<const TPhase extends string>(graph: {
  readonly name?: string;
  readonly initial: NoInfer<TPhase>;
  readonly phases: Readonly<Record<TPhase, PhaseSpec<NoInfer<TPhase>>>>;
  readonly required?: readonly RequiredVisit<NoInfer<TPhase>>[];
  readonly inferred?: Readonly<Partial<Record<NoInfer<TPhase>, readonly Activity[]>>>;
}): PhaseGraph<TPhase> {
  return graph;
}

/** The edges that leave a phase, each as an object; none for a phase the graph lacks. */
export function edgesFrom(graph: PhaseGraph, phase: string): readonly PhaseEdge[] {
  const spec = phaseSpec(graph, phase);
  return spec === undefined ? [] : spec.next.map((edge) => (typeof edge === "string" ? { to: edge } : edge));
}

/** The description of a phase, also for names that come from a log or a file. */
export function phaseSpec(graph: PhaseGraph, phase: string): PhaseSpec | undefined {
  return ownValue(graph.phases, phase);
}
