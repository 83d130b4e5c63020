import type { Run, RunEvent } from "@phasekit/core";
import type { AgentSpec } from "./agent.ts";
import { type AgentFinished, agentFinished } from "./conversation-facts.ts";
import type { Settings } from "./conversation-options.ts";
import { conversationState, type ConversationState, cycleState, type CycleState, emptyConversation, emptyCycle } from "./conversation-state.ts";
import { createLeaseKeeper, type LeaseKeeper } from "./phase-lease.ts";

/** An agent at work. */
export interface LiveAgent {
  readonly agent: string;
  readonly round: string;
  readonly run: Run;
}

/** What all parts of one conversation work on. */
export interface Desk {
  readonly run: Run;
  readonly settings: Settings;
  readonly agents: ReadonlyMap<string, AgentSpec>;
  readonly live: Set<LiveAgent>;
  /** Agents that were given up and have not returned yet. */
  readonly background: Set<Promise<unknown>>;
  readonly lease: LeaseKeeper | undefined;
  readonly state: () => Readonly<ConversationState>;
  readonly cycle: () => Readonly<CycleState>;
}

export function createDesk(run: Run, settings: Settings): Desk {
  const live = new Set<LiveAgent>();
  const { exclusive, schedule, clock } = settings;
  const stopAll = (): void => {
    for (const agent of [...live]) stopAgent(agent, "cancelled", "The lease of the phase was lost.");
  };
  return {
    run,
    settings,
    agents: new Map(settings.agents.map((agent) => [agent.name, agent])),
    live,
    background: new Set(),
    lease: exclusive === undefined ? undefined : createLeaseKeeper(run, exclusive, { schedule, clock, onLost: stopAll }),
    state: () => run.view.read(conversationState) ?? emptyConversation(),
    cycle: () => run.view.read(cycleState) ?? emptyCycle(),
  };
}

/** Tells an agent to stop. Its run carries the signal, so a stop of the whole conversation reaches it the same way. */
export function stopAgent({ run }: LiveAgent, reason: "timeout" | "cancelled", why: string): void {
  run.stop({ by: "host", reason, how: "abort", why });
}

/** Records what an agent came to; after the log was closed there is only the hook to tell. */
export function recordFinished({ run, settings }: Desk, finished: AgentFinished): void {
  if (run.view.status !== "ended" && run.record(agentFinished.record(finished))) return;
  try {
    settings.onLate?.(finished);
  } catch {
    // A listener that throws has no part in the conversation.
  }
}

/** Whether router and agents may still be called. */
export function isWorking({ run, state }: Desk): boolean {
  return run.view.status === "running" && run.view.stopped === undefined && !state().ending;
}

/** Resolves when an event of the run fits, or at once when `already` holds. */
export function whenEvent(run: Run, fits: (event: RunEvent) => boolean): { readonly promise: Promise<void>; readonly cancel: () => void } {
  let cancel = (): void => undefined;
  const promise = new Promise<void>((resolve) => {
    // A subscriber that comes early is told of the past, too; only what comes now counts.
    const { seq } = run.view;
    cancel = run.subscribe((step) => {
      if (!step.some((event) => event.seq > seq && fits(event))) return;
      cancel();
      resolve();
    });
  });
  return { promise, cancel };
}
