import type { Severity } from "../policies/decision.ts";
import type { VouchVerdict } from "../account/evidence.ts";
import type { Json } from "../text/json.ts";
import type { Reason } from "./reason-codes.ts";
import type { EntryMetrics } from "../view/run-view.ts";
import type { Actor, EntryOutcome } from "./run-event.ts";

interface MoveAnswer {
  readonly from: string;
  readonly to: string;
  readonly actor: Actor;
  /** The name of the person or agent that moved. */
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

/** Events the run derives from decisions. Only the run writes them. */
export interface DerivedEvents {
  "phase.transition": MoveAnswer &
    EntryEnd & {
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
  "nudge.settled": {
    readonly nudge: string;
    readonly helped: boolean;
    /** Only for a nudge the agent never got: its effect does not count. */
    readonly applied?: false;
  };
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
    readonly why?: string;
    readonly evidence?: Json;
    /**
     * Why the veto does not hold the run back: the caps, nothing new since, a waiver of the gate, or a gate that only
     * objects.
     */
    readonly held?: "limit" | "unchanged" | "waived" | "objection";
    readonly applied: boolean;
  };
  "finish.vouched": {
    readonly gate: string;
    readonly verdict: VouchVerdict;
    readonly why?: string;
    readonly evidence?: Json;
  };
  "review.requested": {
    readonly review: string;
    readonly kind: string;
    readonly text: string;
    readonly episode: string;
    readonly data?: Json;
    readonly applied: boolean;
  };
  "stop.requested": {
    readonly reason: Reason;
    readonly how: StopHow;
    readonly text?: string;
    readonly applied: boolean;
  };
  "policy.failed": {
    readonly policy: string;
    readonly during: "observe" | "decide" | "guard" | "text" | "interpret" | "redact" | "clock" | "record";
    readonly message: string;
  };
  /** An event a policy made; see `defineEvent`. */
  "event.emitted": { readonly name: string; readonly data: Json };
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

/** How a run is to stop: after a closing turn without tools, after the current results, or immediately. */
export type StopHow = "wrap-up" | "halt" | "abort";
