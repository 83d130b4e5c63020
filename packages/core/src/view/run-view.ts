import type { Severity } from "../policies/decision.ts";
import type { Evidence } from "../account/evidence.ts";
import type { Actor, EntryOutcome, HostEvent, Usage } from "../events/run-event.ts";
import type { Json } from "../text/json.ts";
import type { Meaning } from "../events/meaning.ts";
import type { Reason } from "../events/reason-codes.ts";
import type { ReadOnlyFields } from "./run-fields.ts";

/** How much of what is decided reaches the agent. */
export type Mode = "observe" | "nudge" | "gate";

/** The status of a run: at work, waiting or ended. */
export type RunStatus = "running" | "suspended" | "ended";

/** A token for a policy's state: `run.read(key)` finds it, also through combinators. */
export interface StateKey<T> {
  readonly name: string;
  /** Only carries the type. */
  readonly type?: T;
}

/** Names a policy's state so that others can read it. Names are global: put the package in front. */
export function defineState<T>(name: string): StateKey<T> {
  return { name };
}

/** Usage so far, children included. Only known usage is counted; `unknownCalls` is the number of calls without any. */
export interface UsageTotals extends Readonly<Required<Omit<Usage, "estimated" | "longCacheWriteTokens">>> {
  /** Tokens as the limit `tokens` counts them: cached input by its weight, without the baseline of each call. */
  readonly chargedTokens: number;
  /** Model calls of the run itself. */
  readonly modelCalls: number;
  /** Model calls without reported usage. */
  readonly unknownCalls: number;
  /** Model calls whose usage was estimated. */
  readonly estimatedCalls: number;
  /** Model calls without a reported cost: `cost` is the sum of the others. */
  readonly unpricedCalls: number;
}

/** The cost of one phase entry. */
export interface EntryMetrics {
  readonly turns: number;
  readonly iterations: number;
  readonly toolCalls: number;
  readonly toolErrors: number;
  readonly activeMs: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Different files that were read. Absent in the events of earlier versions. */
  readonly filesRead?: number;
}

/** Limits of a run; an absent one does not exist. */
export interface Limits {
  readonly turns?: number;
  readonly tokens?: number;
  readonly timeMs?: number;
  readonly cost?: number;
  /** Weight of cached input tokens in `tokens`, between 0 and 1. @default 1 */
  readonly cachedWeight?: number;
  /** Tokens in the context before the run: every model call pays for them again, `tokens` does not. @default 0 */
  readonly baseline?: number;
  /**
   * Weight in `tokens` of input that the call before already had, between 0 and 1: with 0 a call is charged for what
   * the context grew by, and for its output. @default 1
   */
  readonly repeatedWeight?: number;
}

/** The name of a limit. */
export type LimitName = "turns" | "tokens" | "timeMs" | "cost";

/** A tool call that was asked for and has no result yet. */
export interface PendingCall {
  readonly call: string;
  readonly tool: string;
  readonly input?: unknown;
  readonly meaning: Meaning;
  readonly turn: number;
  readonly index: number;
  readonly at: number;
  readonly refused?: { readonly text: string; readonly by: string };
}

/** A move that took place. */
export interface TransitionRecord {
  readonly from: string;
  readonly to: string;
  /** The entry that was left, as `acting#2`. */
  readonly entry: string;
  readonly at: number;
  readonly seq: number;
  readonly by: string;
  readonly actor: Actor;
  readonly outcome: EntryOutcome;
  readonly reason?: string;
  readonly name?: string;
  readonly agent?: string;
  readonly message?: string;
  readonly summary?: string;
  readonly metrics: EntryMetrics;
}

/** A nudge that was sent, or would have been in a stricter mode. */
export interface SentNudge {
  readonly nudge: string;
  readonly policy: string;
  readonly episode: string;
  readonly text: string;
  readonly turn: number;
  readonly seq: number;
  readonly guidance: boolean;
  readonly applied: boolean;
}

/** An alert that holds. */
export interface OpenAlert {
  readonly policy: string;
  readonly kind: string;
  readonly signature: string;
  readonly severity: Severity;
  readonly count: number;
  readonly subject?: string;
  readonly evidence?: Json;
  readonly turn: number;
  /** Where it was raised first. */
  readonly seq: number;
  /** The type of the event at which the policy returned it. */
  readonly on: string;
}

/** A review that waits for its answer. */
export interface PendingReview {
  readonly review: string;
  readonly kind: string;
  readonly text: string;
  readonly by: string;
  readonly applied: boolean;
  /** Details for the reviewer's code, such as the limit and the amount of a `budget-extension`. */
  readonly data?: Json;
}

/** A child run, as its parent's log knows it. */
export interface ChildSummary {
  readonly child: string;
  readonly status: "running" | "ended";
  readonly toolCalls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Absent if no call reported one. */
  readonly cost?: number;
  readonly reason?: Reason;
}

/** How a run ended: in which phase, why, and what vouches for it. */
export interface RunOutcome {
  readonly phase: string;
  readonly reason: Reason;
  /** The evidence is proven or supported; false when nothing was checked. */
  readonly verified: boolean;
  /** The condition that was false when the work was over. */
  readonly predicate?: string;
  readonly evidence: Evidence;
  readonly error?: HostEvent<"run.finished">["error"];
}

/** A visit the run still owes. */
export interface OwedVisit {
  readonly after: string;
  readonly visit: string;
  readonly before: string;
}

/**
 * The run as policies read it. It is one live object, changed in place: read from it, do not keep it or its members.
 * `TPhase` is the phases a policy mentions, so that `isIn` refuses a misspelt one.
 */
export interface RunView<TPhase extends string = never> extends ReadOnlyFields {
  /** True if the run is in one of these phases. */
  isIn(...phases: readonly TPhase[]): boolean;
  /** True if the graph would let this actor move there now. */
  canMove(to: string, by?: Actor): boolean;
  /** How many nudges a policy has sent in this run. */
  nudgeCount(policy: string): number;
  /** The state of the policy with this key; all observers ran before any decision, so order does not matter. */
  read<T>(key: StateKey<T>): Readonly<T> | undefined;
}

/** How deep a run is below the first one: 0 for a run without a parent. */
export function depthOf({ parent }: Pick<RunView, "parent">): number {
  return parent === undefined ? 0 : (parent.depth ?? 1);
}

/** The strictest of several limits. An endless one is none, and JSON could not carry it. */
export function strictestLimits(all: readonly Limits[]): Limits {
  const strictest: { -readonly [K in keyof Limits]: number } = {};
  for (const limit of ["turns", "tokens", "timeMs", "cost", "cachedWeight", "baseline", "repeatedWeight"] as const) {
    const values = all.flatMap((limits) => limits[limit] ?? []).filter((value) => value !== Infinity);
    if (values.length > 0) strictest[limit] = Math.min(...values);
  }
  return strictest;
}

/** Returns how much of a limit is left; `undefined` without such a limit. */
export function remainingBudget(
  run: Pick<RunView, "limits" | "usage" | "turn" | "activeMs">,
  limit: LimitName,
): number | undefined {
  const all = run.limits[limit];
  return all === undefined ? undefined : Math.max(0, all - spentBudget(run, limit));
}

/** Returns how much of a limit is spent. */
export function spentBudget(
  { usage, turn, activeMs }: Pick<RunView, "usage" | "turn" | "activeMs">,
  limit: LimitName,
): number {
  switch (limit) {
    case "turns":
      return turn;
    case "tokens":
      return usage.chargedTokens;
    case "timeMs":
      return activeMs;
    case "cost":
      return usage.cost;
  }
}
