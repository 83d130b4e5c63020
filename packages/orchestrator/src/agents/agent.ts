import type { PhaseGraph, PlainTool, PlainToolResult, Policy, Run } from "@phasekit/core";
import type { HandOff } from "./hand-off.ts";
import type { Lease } from "../leases/lease-store.ts";
import type { PromptFragment } from "../phases/phase-fragments.ts";
import type { AgentSignal } from "../conversation/runtime-defaults.ts";

/** Result of an agent's work in one round. */
export interface AgentResult {
  /** The full answer. */
  readonly text?: string;
  /** State of the work in a few words, for the next agent. */
  readonly summary?: string;
  /** Question to the user. The conversation waits for the answer. */
  readonly question?: string;
  /** Phase that should come next. The graph decides, once every agent of the round has finished. */
  readonly phase?: string;
  /** In the verification phase: whether the work passed. Without it, the phase has no outcome. */
  readonly passed?: boolean;
  /** Number of external results it waits for. Above 0, open items of its own list do not send it back. @default 0 */
  readonly pendingExternal?: number;
}

/** Input of an agent's `work`. */
export interface AgentContext {
  readonly conversation: string;
  readonly round: string;
  readonly agent: string;
  readonly phase: string;
  readonly previousPhase: string | undefined;
  /** The user's last message. */
  readonly request: string;
  /** Why the router chose this agent. */
  readonly reason: string;
  readonly handOff: HandOff | undefined;
  /** The instructions for this round, in pieces and as one prompt. Built on first read. */
  readonly fragments: readonly PromptFragment[];
  readonly prompt: string;
  /** Model label of the phase. */
  readonly model: string | undefined;
  /** The agent's tools that the phase allows, plus `complete`, and `lesson` in phases that collect lessons. */
  readonly tools: readonly PlainTool[];
  /** True if this phase allows the tool. */
  readonly allows: (tool: string) => boolean;
  /** Calls one of the tools as an adapter would: asks the run first and records the result. */
  readonly call: (tool: string, input?: unknown) => Promise<PlainToolResult>;
  /** The agent's own run, a child of the conversation's run. Pass it to an adapter. */
  readonly run: Run;
  /** Aborts when the agent must stop: the round is over, its time is up, or it was cancelled. */
  readonly signal: AgentSignal;
  /** The lease of an exclusive phase. Send its `fence` with every write. */
  readonly lease: Lease | undefined;
  /** Counts from 1; more after a restart. */
  readonly attempt: number;
  /** Why the agent is called again after it returned. */
  readonly reminder: string | undefined;
}

/** An agent: a name for the router, and a function that does the work. */
export interface AgentSpec {
  /** Name the router uses. */
  readonly name: string;
  /** Identity in the log, such as a public key. @default its name */
  readonly id?: string;
  /** Display name. @default its name */
  readonly title?: string;
  /** Kind of agent. A phase may have guidance for a kind. */
  readonly type?: string;
  /** Skills of the agent, for the router. */
  readonly description?: string;
  readonly work: (
    context: AgentContext,
  ) => AgentResult | string | undefined | Promise<AgentResult | string | undefined>;
  /** Its own tools, or a function that creates them for a phase. Tools that the phase denies are left out. */
  readonly tools?:
    readonly PlainTool[] | ((context: Pick<AgentContext, "phase" | "previousPhase" | "agent">) => readonly PlainTool[]);
  /** The graph of its own run. @default one phase, named like the conversation's */
  readonly graph?: PhaseGraph;
  /** Policies of its own run. */
  readonly policies?: readonly Policy[];
  /** Time limit of one attempt. @default only that of the round */
  readonly timeoutMs?: number;
  /** False if it does not remember earlier rounds: its prompt then describes the phase every time. @default true */
  readonly remembers?: boolean;
}

/**
 * Describes an agent.
 *
 * @example
 * const planner = defineAgent({
 *   name: "planner",
 *   work: async ({ prompt, signal }) => ({ text: await ask(prompt, signal), summary: "A plan in three steps." }),
 * });
 */
export function defineAgent(agent: AgentSpec): AgentSpec {
  return agent;
}
