import { defineFact } from "@phasekit/core";

/** How an agent's part in a round ended. */
export type CompletionOutcome = "done" | "failed" | "timeout" | "cancelled";

/** Why a round is over. */
export type RoundEnd = "complete" | "timeout" | "cancelled" | "ended";

/** A routing decision was carried out: these agents are expected to finish. */
export interface RoundOpened {
  readonly round: string;
  readonly agents: readonly string[];
  readonly phase: string;
  readonly entry: string;
  readonly reason: string;
  readonly by: "router" | "fallback";
  readonly timeoutMs?: number;
}

/** An agent's part in a round is over. */
export interface AgentFinished {
  readonly round: string;
  readonly agent: string;
  readonly outcome: CompletionOutcome;
  /** Who the agent is in the log, when that is not its name. */
  readonly id?: string;
  readonly child?: string;
  readonly text?: string;
  readonly summary?: string;
  /** The agent needs an answer from the person before anything goes on. */
  readonly question?: string;
  /** The phase the agent thinks should come next. */
  readonly wants?: string;
  readonly error?: string;
}

/** Why the router was asked again, or why the fallback took its place. */
export interface RoutingCorrected {
  readonly why: "unreadable" | "unknown-agent" | "refused-move" | "held" | "gate" | "queued" | "failed" | "nobody-left";
  readonly feedback: string;
  readonly attempt: number;
  readonly given?: string;
}

/** Something an agent or the router should know next time. */
export interface LessonLearned {
  readonly agent: string;
  readonly phase: string;
  readonly text: string;
  readonly from: "reflection" | "routing";
}

/** What became of the lease of an exclusive phase. */
export interface LeaseChanged {
  readonly phase: string;
  readonly resource: string;
  readonly status: "granted" | "queued" | "lost" | "released" | "expiring";
  readonly fence?: number;
  readonly position?: number;
  readonly estimateMs?: number;
  readonly holder?: string;
  readonly why?: string;
}

/** A round began. */
export const roundOpened = /* @__PURE__ */ defineFact<RoundOpened>("round.opened");
/** Derived: the round closed, exactly once; `missing` are the agents that had not finished. */
export const roundClosed = /* @__PURE__ */ defineFact<{ readonly round: string; readonly why: RoundEnd; readonly missing: readonly string[] }>("round.closed");
/** Somebody closes a round without its agents. */
export const roundCancelled = /* @__PURE__ */ defineFact<{ readonly round: string; readonly why: string }>("round.cancelled");
/** An agent has done its part, or failed to. */
export const agentFinished = /* @__PURE__ */ defineFact<AgentFinished>("agent.finished");
/** Derived: a completion that changed nothing, and why. */
export const completionIgnored = /* @__PURE__ */ defineFact<{ readonly round: string; readonly agent: string; readonly why: "late" | "repeated" | "unexpected" }>("completion.ignored");
/** A routing decision was not carried out. */
export const routingCorrected = /* @__PURE__ */ defineFact<RoutingCorrected>("routing.corrected");
/** An agent's wish for a phase was not carried out. */
export const wishHeld = /* @__PURE__ */ defineFact<{ readonly agent: string; readonly to: string; readonly why: string }>("wish.held");
/** Something was learned, in reflection or by a mistake of the router. */
export const lessonLearned = /* @__PURE__ */ defineFact<LessonLearned>("lesson.learned");
/** Something to remember until the next cycle begins. */
export const cycleNoted = /* @__PURE__ */ defineFact<{ readonly key: string; readonly value: unknown }>("cycle.noted");
/** The lease of an exclusive phase was granted, queued for, lost or given back. */
export const leaseChanged = /* @__PURE__ */ defineFact<LeaseChanged>("lease.changed");
/** The conversation waits for another one, or no longer does. */
export const waitChanged = /* @__PURE__ */ defineFact<{ readonly conversation: string; readonly for: string; readonly status: "waiting" | "reached" | "timeout" | "deadlock" }>("wait.changed");
/** The conversation is about to end: no router and no agent is called after this. */
export const conversationEnding = /* @__PURE__ */ defineFact<{ readonly by: string; readonly reason: string }>("conversation.ending");
