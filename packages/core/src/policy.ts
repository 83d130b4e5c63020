import type { AnytimeDecision, FinishDecision, Nudge, ToolDecision, TurnDecision } from "./decision.ts";
import type { EventOf, EventType, HostType } from "./facts/run-event.ts";
import type { Limits, Mode, RunView, StateKey } from "./run-view.ts";

/** The facts a policy may decide on: every host fact but the last one. */
export type DecidingType = Exclude<HostType, "run.finished">;

/** What may be decided at which fact. */
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

// Nothing is ever one: of all types an illegal decision could have fitted it comes nearest, so that the last line of the
// compiler's message says where the decision belongs.
interface OnlyAt<TMoments extends readonly string[], TDecision extends string> {
  readonly decision: TDecision;
  readonly text: `${TDecision} is possible at ${Listed<TMoments>} only`;
}
type Listed<TMoments extends readonly string[]> = TMoments extends readonly [infer TFirst extends string, infer TSecond extends string]
  ? `"${TFirst}" and "${TSecond}"`
  : `"${TMoments[0]}"`;
type Misplaced<K extends DecidingType> = {
  [D in keyof Moments]: K extends Moments[D][number] ? never : OnlyAt<Moments[D], D>;
}[keyof Moments];
type Decided<K extends DecidingType, TPhase extends string> = DecisionAt<K, TPhase> | Misplaced<K>;

// Declared as methods, whose parameters compare both ways: policies with different states then fit one array.
type Observer<TState, K extends EventType> = { observe(state: TState, event: EventOf<K>, run: RunView): void }["observe"];
type Decider<TState, K extends DecidingType, TPhase extends string> = {
  decide(
    run: RunView<TPhase>,
    state: Readonly<TState>,
    event: EventOf<K>,
  ): Decided<K, TPhase> | readonly Decided<K, TPhase>[] | undefined;
}["decide"];

/** What a policy notices, by event type. The only place where its state changes. */
export type Observers<TState> = { readonly [K in EventType]?: Observer<TState, K> };
/** What a policy decides, by event type. Pure: the same run and state give the same answer. */
export type Deciders<TState, TPhase extends string> = { readonly [K in DecidingType]?: Decider<TState, K, TPhase> };

/** Watches streamed text. Gets it in pieces of a fixed length, so that chunking cannot matter. */
export interface TextWatcher {
  readonly push: (text: string) => TextFinding | undefined;
}

/** What was found in streamed text. It is stored with the message; `stop` asks to cut the stream (mode `gate`). */
export interface TextFinding {
  readonly kind: string;
  readonly signature?: string;
  readonly count?: number;
  readonly stop?: boolean;
}

/** A strategy: a name, optional state folded from events, and pure decisions. `TPhase` is the phases it mentions. */
export interface Policy<TState = unknown, TPhase extends string = never> {
  readonly name: string;
  /** Changes when the policy decides differently, so that a log can say which one it was. */
  readonly version?: string;
  /** The phases it mentions: checked against the graph, by the compiler and when the run is made. */
  readonly phases?: readonly TPhase[];
  readonly mode?: Mode;
  readonly key?: StateKey<TState>;
  readonly initial?: () => TState;
  /** Its state starts anew when a `fresh` phase is entered. */
  readonly perCycle?: boolean;
  /** Limits it enforces, so that children and other policies see what is left. */
  readonly limits?: Limits;
  readonly observe?: Observers<TState>;
  readonly decide?: Deciders<TState, TPhase>;
  /**
   * It says all that holds at every fact it decides on, so an alert it does not repeat at one of them is gone. Otherwise
   * an alert is gone when it is not repeated at the next fact of the kind it was raised at. @default false
   */
  readonly saysAll?: boolean;
  /** A pure deadline: the host is told to call `tick` then. */
  readonly wakeAt?: { at(run: RunView, state: Readonly<TState>): number | undefined }["at"];
  /** Conditions on moves, by the name a graph's edge gives: `true`, or why not. */
  readonly guards?: Readonly<Record<string, { guard(run: RunView, state: Readonly<TState>): boolean | string }["guard"]>>;
  /** Makes a watcher for each streamed message. */
  readonly watchText?: () => TextWatcher;
  /** What it decides under another name; combinators that look at what was said before need to know it. */
  readonly decideAs?: (name: string) => Deciders<TState, TPhase>;
  /** States that can be read from inside a combined state. */
  readonly inner?: readonly { readonly key: StateKey<unknown>; readonly index: number }[];
  /** A function has a name too, and would pass for a policy that does nothing: write `stallReminder()`, with its brackets. */
  readonly bind?: never;
}

/** Policies may come in bundles. */
export type PolicyList<TPhase extends string> = readonly (Policy<unknown, TPhase> | readonly Policy<unknown, TPhase>[])[];

/**
 * Describes a policy; state and phases are inferred.
 *
 * @example
 * const noMigrations = definePolicy({
 *   name: "no-migrations",
 *   phases: ["acting"],
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
