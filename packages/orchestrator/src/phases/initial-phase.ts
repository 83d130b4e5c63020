import type { PhaseGraph } from "@phasekit/core";
import { edgesFrom, isObject, jsonInText, phaseSpec } from "@phasekit/core/adapter";
import type { AskModel, ModelCall } from "../rounds/router.ts";
import { matchName } from "../rounds/routing-decision.ts";

/** Phase in which a request begins, and why. */
export interface InitialPhase {
  readonly phase: string;
  readonly reason: string;
}

/** Chooses the phase of a new request; `undefined` keeps the graph's first phase. May ask a model. */
export type InitialPhaseStrategy = (
  request: string,
  context: ModelCall & { readonly graph: PhaseGraph },
) => InitialPhase | undefined | Promise<InitialPhase | undefined>;

/**
 * Lets a model choose the phase. It gets every phase in which a request can begin, and when to enter it. If it fails
 * or names no phase, the conversation begins in the graph's first phase, and the log says why.
 *
 * @example
 * createConversation({ agents, router, initialPhase: modelInitialPhase((prompt) => model.complete(prompt)) })
 */
export function modelInitialPhase(ask: AskModel): InitialPhaseStrategy {
  return async (request, { graph, ...call }) =>
    readInitialPhase(await ask(renderInitialPhaseQuestion(request, graph), call), graph);
}

/** Longest line that can be a name and its label, and longest part of an answer that a correction quotes. */
const MAX_LINE = 200;

/**
 * Reads a model's answer: JSON with `phase` and `reason`, or a line that is only a name, with or without a label
 * before it. A name inside a sentence does not count: "Do not execute it yet" names a phase and does not choose it.
 */
export function readInitialPhase(answer: unknown, graph: PhaseGraph): InitialPhase {
  const text = typeof answer === "string" ? answer : "";
  const phases = Object.keys(graph.phases);
  for (const found of jsonInText(text)) {
    if (!isObject(found) || typeof found["phase"] !== "string") continue;
    const { phase, reason } = found;
    return { phase, reason: typeof reason === "string" && reason.trim() !== "" ? reason : "A model chose it." };
  }
  for (const line of text.split("\n").reverse()) {
    if (line.length > MAX_LINE) continue;
    const named = matchName(line.replace(/^.*:/, "").replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, ""), phases);
    if (named !== undefined) return { phase: named, reason: "A model chose it." };
  }
  return { phase: text.trim().slice(0, MAX_LINE), reason: "A model chose it." };
}

/** Renders the question to the model, with the phases in which a request can begin. */
export function renderInitialPhaseQuestion(request: string, graph: PhaseGraph): string {
  const names = [graph.initial, ...edgesFrom(graph, graph.initial).map(({ to }) => to)];
  const lines = [...new Set(names)].map((name) => {
    const { purpose, entry = [] } = phaseSpec(graph, name) ?? {};
    return `- ${name}: ${[purpose, ...entry.map((when) => `${when}.`)].filter((part) => part !== undefined).join(" ")}`;
  });
  return [
    "In which phase should the work on this request begin?",
    'Answer with one JSON object: {"phase": name, "reason": why}.',
    "Action comes before discussion: when in doubt, choose the phase that acts.",
    ...lines,
    `\nRequest:\n${request}`,
  ].join("\n");
}
