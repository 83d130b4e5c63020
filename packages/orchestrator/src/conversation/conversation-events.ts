import { defineEvent } from "@phasekit/core";

/** Outcome of an agent's work in a round. */
export type CompletionOutcome = "done" | "failed" | "timeout" | "cancelled";

/** Why a round closed. */
export type RoundEnd = "complete" | "timeout" | "cancelled" | "ended";

/** Data of `round.opened`: the agents that are expected to finish. */
export interface RoundStart {
  readonly round: string;
  readonly agents: readonly string[];
  readonly phase: string;
  readonly entry: string;
  readonly reason: string;
  readonly by: "router" | "fallback";
  readonly timeoutMs?: number;
}

/** Data of `agent.finished`: the outcome of an agent's work in a round. */
export interface AgentOutcome {
  readonly round: string;
  readonly agent: string;
  readonly outcome: CompletionOutcome;
  /** Identity of the agent in the log, if it is not its name. */
  readonly id?: string;
  readonly child?: string;
  readonly text?: string;
  readonly summary?: string;
  /** Question to the user. The conversation waits for the answer. */
  readonly question?: string;
  /** Phase the agent wants next. */
  readonly wants?: string;
  readonly error?: string;
  /** In the verification phase: whether the work passed. */
  readonly passed?: boolean;
}

/**
 * Data of `routing.corrected`: why the router was asked again, why the fallback decided, or, with `initial-phase`,
 * why a request begins in the graph's first phase.
 */
export interface RoutingCorrection {
  readonly why:
    | "unreadable"
    | "unknown-agent"
    | "refused-move"
    | "held"
    | "gate"
    | "queued"
    | "failed"
    | "nobody-left"
    | "initial-phase";
  readonly feedback: string;
  readonly attempt: number;
  readonly given?: string;
}

/** Data of `lesson.learned`: something an agent or the router should know next time. */
export interface Lesson {
  readonly agent: string;
  readonly phase: string;
  readonly text: string;
  readonly from: "reflection" | "routing";
}

/** Data of `lease.changed`: a change of the lease of an exclusive phase. */
export interface LeaseChange {
  readonly phase: string;
  readonly resource: string;
  readonly status: "granted" | "queued" | "lost" | "released" | "expiring";
  readonly fence?: number;
  readonly position?: number;
  readonly estimateMs?: number;
  readonly holder?: string;
  readonly why?: string;
}

/** A round opened. */
export const roundOpened = /* @__PURE__ */ defineEvent<RoundStart>("round.opened");
/** Derived: the round closed. Emitted exactly once; `missing` lists the agents that had not finished. */
export const roundClosed = /* @__PURE__ */ defineEvent<{
  readonly round: string;
  readonly why: RoundEnd;
  readonly missing: readonly string[];
}>("round.closed");
/** A round was cancelled before its agents finished. */
export const roundCancelled = /* @__PURE__ */ defineEvent<{ readonly round: string; readonly why: string }>(
  "round.cancelled",
);
/** An agent finished its work, or failed. */
export const agentFinished = /* @__PURE__ */ defineEvent<AgentOutcome>("agent.finished");
/** Derived: a completion had no effect, and why. */
export const completionIgnored = /* @__PURE__ */ defineEvent<{
  readonly round: string;
  readonly agent: string;
  readonly why: "late" | "repeated" | "unexpected";
}>("completion.ignored");
/** A routing decision was not applied. */
export const routingCorrected = /* @__PURE__ */ defineEvent<RoutingCorrection>("routing.corrected");
/** An agent's wish for a phase was not applied. */
export const wishHeld = /* @__PURE__ */ defineEvent<{
  readonly agent: string;
  readonly to: string;
  readonly why: string;
}>("wish.held");
/** A lesson was recorded, in reflection or after a wrong routing decision. */
export const lessonLearned = /* @__PURE__ */ defineEvent<Lesson>("lesson.learned");
/** A note for the rest of the cycle. */
export const cycleNoted = /* @__PURE__ */ defineEvent<{ readonly key: string; readonly value: unknown }>("cycle.noted");
/** The lease of an exclusive phase was granted, queued, lost or released, or is about to expire. */
export const leaseChanged = /* @__PURE__ */ defineEvent<LeaseChange>("lease.changed");
/** The conversation started or stopped waiting for another one. */
export const waitChanged = /* @__PURE__ */ defineEvent<{
  readonly conversation: string;
  readonly for: string;
  readonly status: "waiting" | "reached" | "timeout" | "deadlock";
}>("wait.changed");
/** The conversation is about to end. No router and no agent is called after this. */
export const conversationEnding = /* @__PURE__ */ defineEvent<{ readonly by: string; readonly reason: string }>(
  "conversation.ending",
);

/**
 * The events a conversation records beside those of its run. Each has `is` to recognize it in a log.
 *
 * @example
 * const rounds = events.filter(conversationEvents.roundClosed.is);
 */
export const conversationEvents = {
  roundOpened,
  roundClosed,
  roundCancelled,
  agentFinished,
  completionIgnored,
  routingCorrected,
  wishHeld,
  lessonLearned,
  cycleNoted,
  leaseChanged,
  waitChanged,
  conversationEnding,
} as const;
