import type { PhaseGraph, PlainTool, PlainToolResult, Policy, Run } from "@phasekit/core";
import type { HandOff } from "./hand-off.ts";
import type { Lease } from "./lease-store.ts";
import type { PromptFragment } from "./phase-fragments.ts";
import type { AgentSignal } from "./system.ts";

/** What an agent's part of a round came to. */
export interface AgentResult {
  /** What it has to say, in full. */
  readonly text?: string;
  /** The state of the work in a few words, for whoever takes over. */
  readonly summary?: string;
  /** Asks the person: the conversation waits for the answer. */
  readonly question?: string;
  /** The phase that should come next. The graph decides, once everybody in the round has finished. */
  readonly phase?: string;
  /** Pieces of other people's work it waits for: open items of its own list then do not send it back. @default 0 */
  readonly pendingExternal?: number;
}

/** What an agent is told when it is its turn to work. */
export interface AgentContext {
  readonly conversation: string;
  readonly round: string;
  readonly agent: string;
  readonly phase: string;
  readonly previousPhase: string | undefined;
  /** What the person said last. */
  readonly request: string;
  /** Why the router chose this agent. */
  readonly reason: string;
  readonly handOff: HandOff | undefined;
  /** Everything there is to say, piece by piece, and as one prompt. Put together when it is first read. */
  readonly fragments: readonly PromptFragment[];
  readonly prompt: string;
  /** The label of the model this phase wants. */
  readonly model: string | undefined;
  /** The agent's tools that fit this phase, and those the phase brings: `complete`, and `lesson` where lessons are learned. */
  readonly tools: readonly PlainTool[];
  /** Whether this phase allows a tool, by its name. */
  readonly allows: (tool: string) => boolean;
  /** Calls one of the tools the way an adapter would: asks the run first, and records what came of it. */
  readonly call: (tool: string, input?: unknown) => Promise<PlainToolResult>;
  /** The agent's own run, a child of the conversation's: hand it to an adapter. */
  readonly run: Run;
  /** Raised when the agent has to stop: the round is over, its time is up, somebody cancelled it. */
  readonly signal: AgentSignal;
  /** The lease of an exclusive phase: hand its `fence` to whatever is written to. */
  readonly lease: Lease | undefined;
  /** Counts from 1; more after a restart. */
  readonly attempt: number;
  /** Why the agent is called again although it had returned. */
  readonly reminder: string | undefined;
}

/** An agent: a name the router uses, and a function that works. */
export interface AgentSpec {
  /** What the router calls it. */
  readonly name: string;
  /** Who it is in the log, such as a public key. @default its name */
  readonly id?: string;
  /** Its name for people. @default its name */
  readonly title?: string;
  /** What kind of agent it is: a phase's guidance may be written for a kind. */
  readonly type?: string;
  /** What it is good for; the router reads it. */
  readonly description?: string;
  readonly work: (context: AgentContext) => AgentResult | string | undefined | Promise<AgentResult | string | undefined>;
  /** Its own tools, by themselves or made for a context; those the phase forbids are left out. */
  readonly tools?: readonly PlainTool[] | ((context: Pick<AgentContext, "phase" | "previousPhase" | "agent">) => readonly PlainTool[]);
  /** The graph of its own run. @default one phase, named like the conversation's */
  readonly graph?: PhaseGraph;
  /** Policies of its own run. */
  readonly policies?: readonly Policy[];
  /** How long one attempt may take. @default no limit but the round's */
  readonly timeoutMs?: number;
  /** Whether it remembers earlier rounds. One that does not is told about its phase every time. @default true */
  readonly remembers?: boolean;
}

/**
 * Describes an agent.
 *
 * @example
 * const planner = defineAgent({ name: "planner", work: async ({ prompt, signal }) => ({ text: await ask(prompt, signal), summary: "A plan in three steps." }) });
 */
export function defineAgent(agent: AgentSpec): AgentSpec {
  return agent;
}
