import type { AnytimeDecision, FinishDecision, Nudge, ToolDecision, TurnDecision } from "./decision.ts";
import type { EventOf, EventType, HostType } from "../events/run-event.ts";
import type { Limits, Mode, RunView, StateKey } from "../view/run-view.ts";

/** The events a policy may decide on: every host event but the last one. */
export type DecidingType = Exclude<HostType, "run.finished">;

/** The decisions that are legal at each type of event. */
export type DecisionAt<K extends DecidingType, TPhase extends string> = K extends "turn.started"
  ? TurnDecision<TPhase>
  : K extends "tool.requested"
    ? ToolDecision<TPhase>
    : K extends "finish.requested"
      ? FinishDecision<TPhase>
      : K extends "review.finished"
        ? AnytimeDecision<TPhase> | Nudge
        : AnytimeDecision<TPhase>;

/** The decisions that belong to certain moments. */
interface Moments {
  readonly nudge: readonly ["turn.started", "review.finished"];
  readonly review: readonly ["turn.started"];
  readonly refuse: readonly ["tool.requested"];
  readonly veto: readonly ["finish.requested"];
  readonly vouch: readonly ["finish.requested"];
}

// No value has this type. It is the nearest type to an illegal decision, so that the last line of the compiler's
// message says where the decision belongs.
interface OnlyAt<TMoments extends readonly string[], TDecision extends string> {
  readonly decision: TDecision;
  readonly text: `${TDecision} is possible at ${MomentList<TMoments>} only`;
}
type MomentList<TMoments extends readonly string[]> = TMoments extends readonly [
  infer TFirst extends string,
  infer TSecond extends string,
]
  ? `"${TFirst}" and "${TSecond}"`
  : `"${TMoments[0]}"`;
type MisplacedDecision<K extends DecidingType> = {
  [D in keyof Moments]: K extends Moments[D][number] ? never : OnlyAt<Moments[D], D>;
}[keyof Moments];
type DecisionOrHint<K extends DecidingType, TPhase extends string> = DecisionAt<K, TPhase> | MisplacedDecision<K>;

// Declared as methods, whose parameters compare both ways: policies with different states then fit one array.
type Observer<TState, K extends EventType> = {
  observe(state: TState, event: EventOf<K>, run: RunView): void;
}["observe"];
type Decider<TState, K extends DecidingType, TPhase extends string> = {
  decide(
    run: RunView<TPhase>,
    state: Readonly<TState>,
    event: EventOf<K>,
  ): DecisionOrHint<K, TPhase> | readonly DecisionOrHint<K, TPhase>[] | undefined;
}["decide"];

/** Observers of a policy, by event type. The only place where its state changes. */
export type Observers<TState> = { readonly [K in EventType]?: Observer<TState, K> };
/** Deciders of a policy, by event type. Pure: the same run and state give the same answer. */
export type Deciders<TState, TPhase extends string> = { readonly [K in DecidingType]?: Decider<TState, K, TPhase> };

/** Watches streamed text. Gets it in pieces of a fixed length, so that chunking cannot matter. */
export interface TextWatcher {
  readonly push: (text: string) => TextFinding | undefined;
}

/** A finding in streamed text. It is stored with the message; `stop` asks to cut the stream (mode `gate`). */
export interface TextFinding {
  readonly kind: string;
  readonly signature?: string;
  readonly count?: number;
  readonly stop?: boolean;
}

/** The member of a policy that is not for users. Registered, so that two copies of this package agree on it. */
export const COMBINED: unique symbol = Symbol.for("phasekit.combined");

/** A strategy: a name, optional state folded from events, and pure decisions. `TPhase` is the phases it mentions. */
export interface Policy<TState = unknown, TPhase extends string = never> {
  readonly name: string;
  /** Changes when the policy decides differently, so that a log can say which one it was. */
  readonly version?: string;
  /** The phases it mentions, checked against the graph by the compiler and by `createRun`. It decides in all phases. */
  readonly mentions?: readonly TPhase[];
  readonly mode?: Mode;
  readonly key?: StateKey<TState>;
  readonly initial?: () => TState;
  /** Its state is reset when a `fresh` phase is entered. @default never */
  readonly resetOn?: "fresh-phase";
  /** Limits it enforces, so that children and other policies see what is left. */
  readonly limits?: Limits;
  /** Why it can do nothing in a run of this kind, as the end of a sentence; printed once, in development only. */
  readonly needs?: (setup: RunSetup) => string | undefined;
  readonly observe?: Observers<TState>;
  readonly decide?: Deciders<TState, TPhase>;
  /**
   * `"complete"` if it returns all of its alerts at every event it decides on, so that one it does not repeat is
   * cleared. `"by-event"`: an alert is cleared if it is not repeated at the next event of its type. @default "by-event"
   */
  readonly alerts?: "complete" | "by-event";
  /** A pure deadline: `run.wakeAt` asks the host to call `tick` then. */
  readonly wakeAt?: { at(run: RunView, state: Readonly<TState>): number | undefined }["at"];
  /** Conditions on moves, by the name a graph's edge gives: `true`, or why not. */
  readonly guards?: Readonly<
    Record<string, { guard(run: RunView, state: Readonly<TState>): boolean | string }["guard"]>
  >;
  /** Makes a watcher for each streamed message. */
  readonly watchText?: () => TextWatcher;
  /** Written by combinators. */
  readonly [COMBINED]?: CombinedPolicy<TState, TPhase>;
  /** Rejects a function, which has a name too: write `stallReminder()`, with its brackets. */
  readonly [Symbol.hasInstance]?: never;
}

/** The part of a run that decides whether a policy can work in it. */
export interface RunSetup {
  readonly mode: Mode;
  readonly limits: Limits;
  /** The names of its interpreters. */
  readonly interpreters: readonly string[];
}

/** The part of a policy that combinators know about. */
interface CombinedPolicy<TState, TPhase extends string> {
  /** Its decisions under another name, for combinators that look at earlier decisions. */
  readonly decideAs?: (name: string) => Deciders<TState, TPhase>;
  /** States that can be read from inside a combined state. */
  readonly inner?: readonly { readonly key: StateKey<unknown>; readonly index: number }[];
}

/** Policies may come in bundles. */
export type PolicyList<TPhase extends string> = readonly (
  Policy<unknown, TPhase> | readonly Policy<unknown, TPhase>[]
)[];

/**
 * Describes a policy; state and phases are inferred.
 *
 * @example
 * const noMigrations = definePolicy({
 *   name: "no-migrations",
 *   mentions: ["acting"],
 *   decide: {
 *     "tool.requested": (run, _state, { meaning }) =>
 *       meaning.targets?.some((file) => file.startsWith("migrations/")) && !run.isIn("acting")
 *         ? refuse("Migrations are written while acting.")
 *         : undefined,
 *   },
 * });
 */
export function definePolicy<TState = undefined, const TPhase extends string = never>(
  policy: Policy<TState, TPhase>,
): Policy<TState, TPhase> {
  return policy;
}
