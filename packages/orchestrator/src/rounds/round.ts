import type { AgentOutcome, RoundEnd, RoundStart } from "../conversation/conversation-events.ts";

/** Outcome of one agent in a round, with its time. */
export interface Completion extends Omit<AgentOutcome, "round"> {
  readonly at: number;
  readonly seq: number;
}

/** One routing decision and the outcomes of its agents. */
export interface Round extends RoundStart {
  /** Counts from 1. */
  readonly number: number;
  readonly openedAt: number;
  /** Active time of the conversation when the round opened. Suspended time does not count. */
  readonly openedActiveMs: number;
  /** In order of arrival. */
  readonly completions: readonly Completion[];
  readonly closed?: { readonly why: RoundEnd; readonly at: number; readonly missing: readonly string[] };
}

/** The agents of a round that have not finished. */
export function missingOf({ agents, completions }: Pick<Round, "agents" | "completions">): readonly string[] {
  return agents.filter((agent) => !completions.some((completion) => completion.agent === agent));
}

/** True if every agent has finished. */
export function isComplete(round: Pick<Round, "agents" | "completions">): boolean {
  return missingOf(round).length === 0;
}

/** Deadline of an open round; undefined if it has no time limit. */
export function deadlineOf(
  { timeoutMs, openedActiveMs }: Pick<Round, "timeoutMs" | "openedActiveMs">,
  { now, activeMs }: { readonly now: number; readonly activeMs: number },
): number | undefined {
  return timeoutMs === undefined ? undefined : now + Math.max(0, timeoutMs - (activeMs - openedActiveMs));
}
