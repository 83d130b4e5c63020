import type { Run, RunEvent } from "@phasekit/core";
import type { AgentSpec } from "../agents/agent.ts";
import { type AgentOutcome, agentFinished } from "./conversation-events.ts";
import type { Settings } from "./conversation-options.ts";
import {
  conversationState,
  type ConversationState,
  cycleState,
  type CycleState,
  emptyConversation,
  emptyCycle,
} from "./conversation-state.ts";
import { createLeaseKeeper, type LeaseKeeper } from "../leases/phase-lease.ts";

/** An agent at work. */
export interface LiveAgent {
  readonly agent: string;
  readonly round: string;
  readonly run: Run;
}

/** State and services shared by the parts of one conversation. */
export interface ConversationRuntime {
  readonly run: Run;
  readonly settings: Settings;
  readonly agents: ReadonlyMap<string, AgentSpec>;
  readonly live: Set<LiveAgent>;
  /** Agents that were stopped and have not returned yet. */
  readonly background: Set<Promise<unknown>>;
  readonly lease: LeaseKeeper | undefined;
  readonly state: () => Readonly<ConversationState>;
  readonly cycle: () => Readonly<CycleState>;
}

export function createConversationRuntime(run: Run, settings: Settings): ConversationRuntime {
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
    lease:
      exclusive === undefined ? undefined : createLeaseKeeper(run, exclusive, { schedule, clock, onLost: stopAll }),
    state: () => run.view.read(conversationState) ?? emptyConversation(),
    cycle: () => run.view.read(cycleState) ?? emptyCycle(),
  };
}

/** Stops an agent through its run, the same way a stop of the whole conversation reaches it. */
export function stopAgent({ run }: LiveAgent, reason: "timeout" | "cancelled", why: string): void {
  run.stop({ by: "host", reason, how: "abort", why });
}

/** Records the outcome of an agent. After the run has ended, only `onLate` receives it. */
export function recordFinished({ run, settings }: ConversationRuntime, finished: AgentOutcome): void {
  if (run.view.status !== "ended" && run.record(agentFinished.record(finished))) return;
  try {
    settings.onLate?.(finished);
  } catch {
    // A listener that throws must not affect the conversation.
  }
}

/** Hands an error of the router or of a strategy to `onError`. The log has its message. */
export function reportError({ settings }: ConversationRuntime, error: unknown): void {
  try {
    settings.onError?.(error);
  } catch {
    // A listener that throws must not affect the conversation.
  }
}

/** True while router and agents may be called. */
export function isWorking({ run, state }: ConversationRuntime): boolean {
  return run.view.status === "running" && run.view.stopped === undefined && !state().ending;
}

/** Resolves at the next event of the run that fits. */
export function whenEvent(
  run: Run,
  fits: (event: RunEvent) => boolean,
): { readonly promise: Promise<void>; readonly cancel: () => void } {
  let cancel = (): void => undefined;
  const promise = new Promise<void>((resolve) => {
    // An early subscriber also receives past events; only new ones count.
    const { seq } = run.view;
    cancel = run.subscribe((step) => {
      if (!step.some((event) => event.seq > seq && fits(event))) return;
      cancel();
      resolve();
    });
  });
  return { promise, cancel };
}
