import type { Severity } from "../decision.ts";
import type { Json } from "../json.ts";
import type { Reason } from "../reason-codes.ts";
import type { EntryMetrics } from "../run-view.ts";
import type { Actor, EntryOutcome } from "./run-event.ts";

interface MoveAnswer {
  readonly from: string;
  readonly to: string;
  readonly actor: Actor;
  /** Who moved, when a person or an agent has a name. */
  readonly name?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly summary?: string;
  readonly data?: Json;
}

/** How the entry that was left ended. */
export interface EntryEnd {
  readonly outcome: EntryOutcome;
  readonly endReason?: Reason;
  /** The condition that was not met, such as `tests_failed`. */
  readonly predicate?: string;
}

/** Facts the run derives from decisions. Only the run writes them. */
export interface DerivedFacts {
  "phase.transition": MoveAnswer & EntryEnd & {
    /** The entry that was left, as `acting#2`, and what it took. */
    readonly entry: string;
    readonly metrics: EntryMetrics;
  };
  "phase.refused": {
    readonly do: string;
    readonly from: string;
    readonly to?: string;
    readonly actor: Actor;
    readonly why: RefusedWhy;
    readonly text: string;
  };
  "phase.skipped": { readonly phase: string; readonly actor: Actor; readonly why: string; readonly warning: string };
  "phase.rolled-back": MoveAnswer & {
    readonly entry: string;
    /** The entry whose phase is taken up again. */
    readonly restores: string;
    readonly undone: number;
    readonly metrics: EntryMetrics;
  };
  "phase.timed-out": { readonly phase: string; readonly entry: string; readonly limitMs: number };
  "exploration.saturation": { readonly filesRead: number; readonly iterations: number; readonly why?: string };
  "nudge.sent": {
    readonly nudge: string;
    readonly text: string;
    readonly episode: string;
    readonly topic?: string;
    readonly guidance?: true;
    readonly shortened?: true;
    readonly applied: boolean;
  };
  "nudge.dropped": { readonly episode: string; readonly why: DropWhy };
  "nudge.settled": { readonly nudge: string; readonly helped: boolean };
  "alert.raised": {
    readonly kind: string;
    readonly signature: string;
    readonly severity: Severity;
    readonly count: number;
    readonly on: string;
    readonly subject?: string;
    readonly evidence?: Json;
  };
  "alert.cleared": { readonly kind: string; readonly signature: string; readonly why: "gone" | "evicted" };
  "tool.refused": { readonly tool: string; readonly text: string; readonly applied: boolean };
  "finish.vetoed": {
    readonly gate: string;
    readonly text: string;
    readonly evidence?: Json;
    /** Why the veto does not hold the run back: the caps, nothing new since, or somebody waived the gate. */
    readonly held?: "limit" | "unchanged" | "waived";
    readonly applied: boolean;
  };
  "finish.vouched": { readonly gate: string; readonly verdict: "pass" | "concerns"; readonly evidence?: Json };
  "review.requested": { readonly review: string; readonly kind: string; readonly text: string; readonly episode: string; readonly applied: boolean };
  "stop.requested": { readonly reason: Reason; readonly how: StopHow; readonly text?: string; readonly applied: boolean };
  "policy.failed": { readonly policy: string; readonly during: "observe" | "decide" | "guard" | "text" | "interpret" | "redact"; readonly message: string };
  /** A fact a policy made; see `defineFact`. */
  "fact.emitted": { readonly name: string; readonly data: Json };
}

/** Why a move was refused. */
export type RefusedWhy =
  | "no-edge"
  | "unknown-phase"
  | "not-allowed"
  | "guard"
  | "required"
  | "stale"
  | "superseded"
  | "no-reason"
  | "nothing-to-undo"
  | "status";

/** Why a nudge was not sent. */
export type DropWhy = "cooldown" | "cap" | "topic" | "allowance";

/** How a run is to stop: after a closing turn without tools, after the current results, or at once. */
export type StopHow = "wrap-up" | "halt" | "abort";
