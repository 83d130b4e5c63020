import type { PhaseGraph, RunPort } from "@phasekit/core";
import type { LessonLearned } from "./conversation-facts.ts";
import type { Round } from "./round.ts";
import type { RoutingDecision } from "./routing-decision.ts";
import type { AgentSignal } from "./system.ts";

/** What a router knows when it is asked. */
export interface RoutingRequest {
  readonly conversation: string;
  readonly graph: PhaseGraph;
  readonly phase: string;
  /** The present stay, as `execute#2`. */
  readonly entry: string;
  readonly previousPhase: string | undefined;
  /** What the person said last. */
  readonly request: string;
  /** Where the conversation may go from here. */
  readonly allowed: readonly string[];
  /** Phases that are owed before the conversation may end. */
  readonly owed: readonly string[];
  readonly agents: readonly { readonly name: string; readonly description?: string | undefined }[];
  /** Who took part in this cycle, and who of them has not reflected on it. */
  readonly participants: readonly string[];
  readonly unreflected: readonly string[];
  /** The phase in which agents reflect, if the graph has one. */
  readonly reflection: string | undefined;
  readonly lastRound: Round | undefined;
  /** Put together when it is first read. */
  readonly history: string;
  readonly lessons: readonly LessonLearned[];
  /** What to tell the router before it decides: nudges of policies. */
  readonly message: string | undefined;
  /** What was wrong with its last decision. */
  readonly feedback: string | undefined;
  /** 0, and one more for each correction. */
  readonly attempt: number;
  /** The conversation's run: a router that calls a model records what it cost here. */
  readonly run: RunPort;
  readonly signal: AgentSignal;
}

/** Chooses who works next: an object, or what a model wrote with a JSON object in it. */
export type Router = (request: RoutingRequest) => RoutingDecision | string | Promise<RoutingDecision | string>;

/** A routing request as a prompt for a model. */
export function renderRoutingPrompt({ graph, phase, request, allowed, owed, agents, unreflected, reflection, history, message, feedback }: RoutingRequest): string {
  const names = agents.map(({ name, description }) => `- ${name}${description === undefined ? "" : `: ${description}`}`);
  return [
    "You decide who works next. Answer with one JSON object: {\"agents\": [names], \"phase\": name (only to change it), \"reason\": why}.",
    `Agents:\n${names.join("\n")}\n- END: ends the conversation`,
    `Phase: ${phase}${graph.phases[phase]?.purpose === undefined ? "" : ` (${graph.phases[phase].purpose})`}. From here: ${allowed.join(", ") || "nowhere"}.`,
    ...(owed.length === 0 ? [] : [`Owed before the end: ${owed.join(", ")}.`]),
    ...(phase === reflection && unreflected.length > 0 ? [`Not yet reflected: ${unreflected.join(", ")}. Each agent reflects once.`] : []),
    ...(history === "" ? [] : [`So far:\n${history}`]),
    `Request:\n${request}`,
    ...(message === undefined ? [] : [message]),
    ...(feedback === undefined ? [] : [`Your last decision was not carried out: ${feedback}`]),
  ].join("\n\n");
}
