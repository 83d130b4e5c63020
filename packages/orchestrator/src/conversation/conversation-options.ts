import { type Actor, conversationPhases, type PhaseGraph, type Run, type RunOptions } from "@phasekit/core";
import { assertNumbers, quote, systemClock } from "@phasekit/core/adapter";
import type { AgentSpec } from "../agents/agent.ts";
import type { ConversationBoard } from "./conversation-board.ts";
import type { AgentOutcome } from "./conversation-events.ts";
import { invalidConversation } from "../errors.ts";
import { HAND_OFF_WINDOW_MS } from "../agents/hand-off.ts";
import type { HistoryOptions } from "./history.ts";
import type { InitialPhaseStrategy } from "../phases/initial-phase.ts";
import { phaseFallback } from "../phases/phase-fallback.ts";
import type { ExclusivePhases } from "../leases/phase-lease.ts";
import type { ProgressCaps } from "../rounds/progress-cap.ts";
import type { Router } from "../rounds/router.ts";
import { END } from "../rounds/routing-decision.ts";
import type { Supervisor } from "../rounds/supervisor.ts";
import { type Schedule, systemSchedule } from "./runtime-defaults.ts";

/** Phases of the default graph. */
export type ConversationPhase = keyof typeof conversationPhases.phases;

/** Identity of the router in the log. */
export interface RouterIdentity {
  readonly id: string;
  readonly name: string;
  /** Actor it counts as if the graph restricts a move. @default "agent" */
  readonly actor?: Actor;
}

/** Options for `createConversation()`: a router, agents, and the options of a run. */
export interface ConversationOptions<TPhase extends string = ConversationPhase> extends Omit<
  RunOptions<TPhase>,
  "parent" | "interpret"
> {
  /** @default conversationPhases */
  readonly graph?: PhaseGraph<TPhase>;
  readonly agents: readonly AgentSpec[];
  readonly router: Router;
  /** @default { id: "router", name: "router" } */
  readonly routerIdentity?: RouterIdentity;
  /** Decides if the router fails or stays wrong after its corrections. @default phaseFallback */
  readonly fallback?: Router;
  /** Corrections of the router before the fallback decides. @default 2 */
  readonly corrections?: number;
  /** Time limit of the router. @default 120000 */
  readonly routerTimeoutMs?: number;
  /** Phase in which a new request begins, or a function or model that chooses it. @default the graph's first phase */
  readonly initialPhase?: NoInfer<TPhase> | InitialPhaseStrategy;
  /** Maximum number of agents that work in parallel. @default 8 */
  readonly parallel?: number;
  /** Time limit of a round, without suspended time. @default 600000 */
  readonly roundTimeoutMs?: number;
  /** Time an agent has to return after its signal aborts. @default 1000 */
  readonly graceMs?: number;
  /** Phase in which every participant reflects once; `false` for none. @default "reflection", if the graph has it */
  readonly reflection?: NoInfer<TPhase> | false;
  /** Phase whose outcome verifies the conversation; `false` for none. @default "verification", if the graph has it */
  readonly verification?: NoInfer<TPhase> | false;
  /** Phases in which agents get the `lesson` tool. @default the reflection phase */
  readonly lessonPhases?: readonly NoInfer<TPhase>[];
  /** Maximum age of a hand-off in a prompt. @default 30000 */
  readonly handOffWindowMs?: number;
  /** Limit of the history in prompts. @default 2000 tokens */
  readonly history?: HistoryOptions;
  /** Maximum rounds without progress, and in all. @default { withoutProgress: 5, absolute: 200 } */
  readonly roundCaps?: ProgressCaps;
  /**
   * Maximum attempts of an agent with open items or with failures, and of a router to end while a gate is not met. The
   * last attempt is accepted as it is.
   *
   * @default { withoutProgress: 3, absolute: 30 }
   */
  readonly retryCaps?: ProgressCaps;
  /** Decides whether to restart an agent that failed. @default never */
  readonly supervisor?: Supervisor;
  /** Phases that only one conversation at a time may be in. */
  readonly exclusive?: ExclusivePhases<NoInfer<TPhase>>;
  /** Board shared with related conversations. */
  readonly board?: ConversationBoard;
  /** Called when an agent's run starts. Subscribe to the run to store its log. */
  readonly onAgentRun?: (run: Run, agent: { readonly agent: string; readonly round: string }) => void;
  /** Receives what an agent returned after the conversation's run had ended. */
  readonly onLate?: (completion: AgentOutcome) => void;
  /** @default setTimeout */
  readonly schedule?: Schedule;
}

/** The options with every default filled in, phases as plain names. */
export interface Settings
  extends
    Required<
      Pick<
        ConversationOptions<string>,
        | "agents"
        | "router"
        | "fallback"
        | "corrections"
        | "routerTimeoutMs"
        | "parallel"
        | "roundTimeoutMs"
        | "graceMs"
        | "handOffWindowMs"
        | "lessonPhases"
        | "schedule"
        | "clock"
        | "history"
      >
    >,
    Pick<ConversationOptions<string>, "supervisor" | "exclusive" | "board" | "onAgentRun" | "onLate" | "onError"> {
  readonly graph: PhaseGraph;
  readonly routerIdentity: Required<RouterIdentity>;
  readonly initialPhase: InitialPhaseStrategy | undefined;
  readonly reflection: string | undefined;
  readonly verification: string | undefined;
  readonly roundCaps: Required<ProgressCaps>;
  readonly retryCaps: Required<ProgressCaps>;
}

/** @throws INVALID_CONVERSATION, INVALID_OPTION */
export function settingsOf(options: ConversationOptions<string>): Settings {
  const graph: PhaseGraph = options.graph ?? conversationPhases;
  const reflection = options.reflection ?? ("reflection" in graph.phases ? "reflection" : false);
  const verification = options.verification ?? ("verification" in graph.phases ? "verification" : false);
  const identity = options.routerIdentity ?? { id: "router", name: "router" };
  checkAgents(options.agents, identity.id);
  checkFunctions(options);
  const { initialPhase, lessonPhases = [], exclusive } = options;
  for (const phase of [reflection, verification, initialPhase, ...lessonPhases, ...(exclusive?.phases ?? [])]) {
    if (typeof phase === "string" && !Object.hasOwn(graph.phases, phase))
      throw invalidConversation("graph", `it has no phase "${phase}"`);
  }
  const settings: Settings = {
    graph,
    agents: options.agents,
    router: options.router,
    routerIdentity: { actor: "agent", ...identity },
    fallback: options.fallback ?? phaseFallback,
    corrections: options.corrections ?? 2,
    routerTimeoutMs: options.routerTimeoutMs ?? 120_000,
    initialPhase: strategyOf(initialPhase),
    parallel: options.parallel ?? 8,
    roundTimeoutMs: options.roundTimeoutMs ?? 600_000,
    graceMs: options.graceMs ?? 1000,
    reflection: reflection === false ? undefined : reflection,
    verification: verification === false ? undefined : verification,
    lessonPhases: options.lessonPhases ?? (reflection === false ? [] : [reflection]),
    handOffWindowMs: options.handOffWindowMs ?? HAND_OFF_WINDOW_MS,
    history: options.history ?? {},
    roundCaps: { withoutProgress: 5, absolute: 200, ...options.roundCaps },
    retryCaps: { withoutProgress: 3, absolute: 30, ...options.retryCaps },
    schedule: options.schedule ?? systemSchedule,
    clock: options.clock ?? systemClock,
    supervisor: options.supervisor,
    exclusive,
    board: options.board,
    onAgentRun: options.onAgentRun,
    onLate: options.onLate,
    onError: options.onError,
  };
  const { corrections, routerTimeoutMs, roundTimeoutMs, graceMs, handOffWindowMs, parallel } = settings;
  assertNumbers({ corrections, routerTimeoutMs, roundTimeoutMs, graceMs, handOffWindowMs });
  assertNumbers({ parallel }, { atLeast: 1 });
  for (const caps of [settings.roundCaps, settings.retryCaps]) assertNumbers({ ...caps });
  return settings;
}

function strategyOf(initial: ConversationOptions<string>["initialPhase"]): InitialPhaseStrategy | undefined {
  return typeof initial === "string"
    ? () => ({ phase: initial, reason: `Every request begins in "${initial}".` })
    : initial;
}

function checkFunctions(options: ConversationOptions<string>): void {
  for (const name of ["router", "fallback", "supervisor", "initialPhase"] as const) {
    const value: unknown = options[name];
    if (typeof value === "function" || (value === undefined && name !== "router")) continue;
    if (name === "initialPhase" && typeof value === "string") continue;
    throw invalidConversation(name, `${quote(value)} is not a function`);
  }
}

function checkAgents(agents: readonly AgentSpec[], router: string): void {
  if (agents.length === 0)
    throw invalidConversation("agents", "it is empty, and a conversation needs at least one agent");
  const names = new Set<string>();
  for (const { name, work } of agents) {
    if (typeof name !== "string") throw invalidConversation("agents", "an agent has no name");
    if (typeof work !== "function") throw invalidConversation("agents", `the agent "${name}" has no function \`work\``);
    if (name.trim() === "" || name.length > 100 || name.toUpperCase() === END || name === router)
      throw invalidConversation(
        "agents",
        `"${name}" is not a valid name (1 to 100 characters, not END, not the router's id)`,
      );
    if (names.has(name.toLowerCase())) throw invalidConversation("agents", `two agents have the name "${name}"`);
    names.add(name.toLowerCase());
  }
}
