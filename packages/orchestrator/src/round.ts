import type { AgentFinished, RoundEnd, RoundOpened } from "./conversation-facts.ts";

/** How one agent's part of a round ended, and when. */
export interface Completion extends Omit<AgentFinished, "round"> {
  readonly at: number;
  readonly seq: number;
}

/** One routing decision and what its agents made of it. */
export interface Round extends RoundOpened {
  /** Counts from 1. */
  readonly number: number;
  readonly openedAt: number;
  /** The conversation's active time when it was opened: suspended time is not charged. */
  readonly openedActiveMs: number;
  /** In the order they came. */
  readonly completions: readonly Completion[];
  readonly closed?: { readonly why: RoundEnd; readonly at: number; readonly missing: readonly string[] };
}

/** The agents of a round that have not finished. */
export function missingOf({ agents, completions }: Pick<Round, "agents" | "completions">): readonly string[] {
  return agents.filter((agent) => !completions.some((completion) => completion.agent === agent));
}

/** Whether every agent that is expected has finished. */
export function isComplete(round: Pick<Round, "agents" | "completions">): boolean {
  return missingOf(round).length === 0;
}

/** When an open round has had its time; `undefined` when it may take for ever. */
export function deadlineOf({ timeoutMs, openedActiveMs }: Pick<Round, "timeoutMs" | "openedActiveMs">, { now, activeMs }: { readonly now: number; readonly activeMs: number }): number | undefined {
  return timeoutMs === undefined ? undefined : now + Math.max(0, timeoutMs - (activeMs - openedActiveMs));
}
