import { type Actor, conversationPhases, type PhaseGraph, type Run, type RunOptions } from "@phasekit/core";
import { systemClock } from "@phasekit/core/adapter";
import type { AgentSpec } from "./agent.ts";
import type { ConversationBoard } from "./conversation-board.ts";
import type { AgentFinished } from "./conversation-facts.ts";
import { invalidConversation } from "./errors.ts";
import { HAND_OFF_WINDOW_MS } from "./hand-off.ts";
import type { HistoryOptions } from "./history.ts";
import { guessInitialPhase, type InitialPhaseStrategy } from "./initial-phase.ts";
import { phaseFallback } from "./phase-fallback.ts";
import type { ExclusivePhases } from "./phase-lease.ts";
import type { ProgressCaps } from "./progress-cap.ts";
import type { Router } from "./router.ts";
import { END } from "./routing-decision.ts";
import type { Supervisor } from "./supervisor.ts";
import { type Schedule, systemSchedule } from "./system.ts";

/** The phases of the preset a conversation has unless it is given a graph. */
export type ConversationPhase = keyof typeof conversationPhases.phases;

/** Who the router is in the log. */
export interface RouterIdentity {
  readonly id: string;
  readonly name: string;
  /** What it counts as where the graph reserves a move. @default "agent" */
  readonly actor?: Actor;
}

/** What a conversation is made from: a router, agents, and whatever a run takes. */
export interface ConversationOptions<TPhase extends string = ConversationPhase> extends Omit<RunOptions<TPhase>, "parent" | "interpret"> {
  /** @default conversationPhases */
  readonly graph?: PhaseGraph<TPhase>;
  readonly agents: readonly AgentSpec[];
  readonly router: Router;
  /** @default { id: "router", name: "router" } */
  readonly routerIdentity?: RouterIdentity;
  /** Decides when the router cannot: it failed, or was corrected in vain. @default phaseFallback */
  readonly fallback?: Router;
  /** How often the router is corrected before the fallback decides. @default 2 */
  readonly corrections?: number;
  /** How long the router may take. @default 120000 */
  readonly routerTimeoutMs?: number;
  /** Where a new request begins; `false` leaves it where the graph begins. @default guessInitialPhase */
  readonly initialPhase?: InitialPhaseStrategy | false;
  /** Agents of one round that work at the same time. @default 8 */
  readonly parallel?: number;
  /** How long a round may take, suspended time not counted. @default 600000 */
  readonly roundTimeoutMs?: number;
  /** How long an agent that was told to stop may take to do so. @default 1000 */
  readonly graceMs?: number;
  /** Where everybody who took part reflects, once; `false` when nobody does. @default "reflection", if the graph has it */
  readonly reflection?: NoInfer<TPhase> | false;
  /** Where agents get the `lesson` tool. @default the reflection phase */
  readonly lessonPhases?: readonly NoInfer<TPhase>[];
  /** How old a hand-off may be to be told. @default 30000 */
  readonly handOffWindowMs?: number;
  /** History in prompts. @default 2000 tokens */
  readonly history?: HistoryOptions;
  /** Rounds without and with progress. @default { withoutProgress: 5, absolute: 200 } */
  readonly roundCaps?: ProgressCaps;
  /** How often an agent is sent back to its own list, or an end is refused. @default { withoutProgress: 3, absolute: 30 } */
  readonly retryCaps?: ProgressCaps;
  /** Decides whether an agent that failed is started again. @default never */
  readonly supervisor?: Supervisor;
  /** Phases that one conversation at a time may be in. */
  readonly exclusive?: ExclusivePhases<NoInfer<TPhase>>;
  /** Where related conversations see each other. */
  readonly board?: ConversationBoard;
  /** Told of every agent's run as it starts: subscribe to keep its log. */
  readonly onAgentRun?: (run: Run, agent: { readonly agent: string; readonly round: string }) => void;
  /** Told of what an agent returned after the conversation's log was closed. */
  readonly onLate?: (completion: AgentFinished) => void;
  /** @default setTimeout */
  readonly schedule?: Schedule;
}

/** The options with every default filled in, phases as plain names. */
export interface Settings extends Required<Pick<ConversationOptions<string>, "agents" | "router" | "fallback" | "corrections" | "routerTimeoutMs" | "parallel" | "roundTimeoutMs" | "graceMs" | "handOffWindowMs" | "lessonPhases" | "schedule" | "clock" | "history">>,
  Pick<ConversationOptions<string>, "supervisor" | "exclusive" | "board" | "onAgentRun" | "onLate"> {
  readonly graph: PhaseGraph;
  readonly routerIdentity: Required<RouterIdentity>;
  readonly initialPhase: InitialPhaseStrategy | false;
  readonly reflection: string | undefined;
  readonly roundCaps: Required<ProgressCaps>;
  readonly retryCaps: Required<ProgressCaps>;
}

/** @throws INVALID_CONVERSATION */
export function settingsOf(options: ConversationOptions<string>): Settings {
  const graph: PhaseGraph = options.graph ?? conversationPhases;
  const reflection = options.reflection ?? ("reflection" in graph.phases ? "reflection" : false);
  const identity = options.routerIdentity ?? { id: "router", name: "router" };
  checkAgents(options.agents, identity.id);
  for (const phase of [reflection === false ? [] : reflection, options.lessonPhases ?? [], options.exclusive?.phases ?? []].flat()) {
    if (!Object.hasOwn(graph.phases, phase)) throw invalidConversation("graph", `it has no phase "${phase}"`);
  }
  for (const name of ["corrections", "parallel", "roundTimeoutMs", "graceMs", "handOffWindowMs", "routerTimeoutMs"] as const) {
    const value = options[name];
    if (value !== undefined && !(value >= (name === "parallel" ? 1 : 0))) throw invalidConversation(name, `${String(value)} is not a number it can work with`);
  }
  return {
    graph,
    agents: options.agents,
    router: options.router,
    routerIdentity: { actor: "agent", ...identity },
    fallback: options.fallback ?? phaseFallback,
    corrections: options.corrections ?? 2,
    routerTimeoutMs: options.routerTimeoutMs ?? 120_000,
    initialPhase: options.initialPhase ?? guessInitialPhase,
    parallel: options.parallel ?? 8,
    roundTimeoutMs: options.roundTimeoutMs ?? 600_000,
    graceMs: options.graceMs ?? 1000,
    reflection: reflection === false ? undefined : reflection,
    lessonPhases: options.lessonPhases ?? (reflection === false ? [] : [reflection]),
    handOffWindowMs: options.handOffWindowMs ?? HAND_OFF_WINDOW_MS,
    history: options.history ?? {},
    roundCaps: { withoutProgress: 5, absolute: 200, ...options.roundCaps },
    retryCaps: { withoutProgress: 3, absolute: 30, ...options.retryCaps },
    schedule: options.schedule ?? systemSchedule,
    clock: options.clock ?? systemClock,
    supervisor: options.supervisor,
    exclusive: options.exclusive,
    board: options.board,
    onAgentRun: options.onAgentRun,
    onLate: options.onLate,
  };
}

function checkAgents(agents: readonly AgentSpec[], router: string): void {
  if (agents.length === 0) throw invalidConversation("agents", "there must be at least one");
  const names = new Set<string>();
  for (const { name, work } of agents) {
    if (typeof name !== "string") throw invalidConversation("agents", "one of them has no name");
    if (typeof work !== "function") throw invalidConversation("agents", `"${name}" has no function \`work\``);
    if (name.trim() === "" || name.length > 100 || name.toUpperCase() === END || name === router) throw invalidConversation("agents", `"${name}" cannot be the name of an agent`);
    if (names.has(name.toLowerCase())) throw invalidConversation("agents", `two are named "${name}"`);
    names.add(name.toLowerCase());
  }
}
