import { phaseSpec } from "@phasekit/core/adapter";
import type { PhaseGraph, RunPort } from "@phasekit/core";
import type { Lesson } from "../conversation/conversation-events.ts";
import type { Round } from "./round.ts";
import type { RoutingDecision } from "./routing-decision.ts";
import type { AgentSignal } from "../conversation/runtime-defaults.ts";

/** Input of a router. */
export interface RoutingRequest {
  readonly conversation: string;
  readonly graph: PhaseGraph;
  readonly phase: string;
  /** The current phase entry, such as `execute#2`. */
  readonly entry: string;
  readonly previousPhase: string | undefined;
  /** The user's last message. */
  readonly request: string;
  /** Phases the conversation may move to. */
  readonly allowed: readonly string[];
  /** Phases owed before the conversation may end. */
  readonly owed: readonly string[];
  readonly agents: readonly { readonly name: string; readonly description?: string | undefined }[];
  /** Agents that took part in this cycle, and those of them that have not reflected. */
  readonly participants: readonly string[];
  readonly unreflected: readonly string[];
  /** Phase in which agents reflect, if there is one. */
  readonly reflection: string | undefined;
  readonly lastRound: Round | undefined;
  /** Built on first read. */
  readonly history: string;
  readonly lessons: readonly Lesson[];
  /** Nudges for the router. */
  readonly message: string | undefined;
  /** Why its last decision was not applied. */
  readonly feedback: string | undefined;
  /** Number of corrections so far. */
  readonly attempt: number;
  /** The conversation's run. A router that calls a model records the cost here. */
  readonly run: RunPort;
  readonly signal: AgentSignal;
}

/** Decides who works next. Returns a decision, or a model's text that contains one as JSON. */
export type Router = (request: RoutingRequest) => RoutingDecision | string | Promise<RoutingDecision | string>;

/** Context of a call of a model. */
export interface ModelCall {
  /** The conversation's run. Record the cost of the call here. */
  readonly run: RunPort;
  /** Aborts when the answer is not needed any more. */
  readonly signal: AgentSignal;
}

/** Sends a prompt to a model and returns its answer. */
export type AskModel = (prompt: string, call: ModelCall) => string | Promise<string>;

/**
 * Lets a model route. The prompt has the agents, the phase, the allowed moves, the owed phases and the history; the
 * answer is JSON, in a fence or in prose.
 *
 * @example
 * createConversation({ agents, router: modelRouter((prompt) => model.complete(prompt)) })
 */
export function modelRouter(ask: AskModel): Router {
  return (request) => ask(renderRoutingPrompt(request), { run: request.run, signal: request.signal });
}

/** Renders a routing request as a prompt for a model. */
export function renderRoutingPrompt({
  graph,
  phase,
  request,
  allowed,
  owed,
  agents,
  unreflected,
  reflection,
  history,
  message,
  feedback,
}: RoutingRequest): string {
  const purpose = phaseSpec(graph, phase)?.purpose;
  const names = agents.map(
    ({ name, description }) => `- ${name}${description === undefined ? "" : `: ${description}`}`,
  );
  return [
    "You decide who works next. Answer with one JSON object: " +
      '{"agents": [names], "phase": name (only to change it), "reason": why}.',
    `Agents:\n${names.join("\n")}\n- END: ends the conversation`,
    `Phase: ${phase}${purpose === undefined ? "" : ` (${purpose})`}. Next phases: ${allowed.join(", ") || "none"}.`,
    ...(owed.length === 0 ? [] : [`Owed before the end: ${owed.join(", ")}.`]),
    ...(phase === reflection && unreflected.length > 0
      ? [`Not yet reflected: ${unreflected.join(", ")}. Each agent reflects once.`]
      : []),
    ...(history === "" ? [] : [`So far:\n${history}`]),
    `Request:\n${request}`,
    ...(message === undefined ? [] : [message]),
    ...(feedback === undefined ? [] : [`Your last decision was not applied: ${feedback}`]),
  ].join("\n\n");
}
