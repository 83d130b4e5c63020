import { type EventOf, isHostEvent, type Json, type RunEvent, type Usage } from "@phasekit/core";
import type { TranscriptRun } from "@phasekit/transcripts";

/** A step of an ATIF trajectory. */
interface AtifStep {
  step_id: number;
  timestamp?: string;
  source: "user" | "agent" | "system";
  model_name?: string;
  message: string;
  tool_calls?: { readonly tool_call_id: string; readonly function_name: string; readonly arguments: unknown }[];
  observation?: { readonly results: { readonly source_call_id: string; readonly content: string }[] };
  metrics?: Readonly<Record<string, number>>;
  extra?: Readonly<Record<string, Json>>;
}

/** A trajectory in the Agent Trajectory Interchange Format. */
export interface AtifTrajectory {
  readonly schema_version: "ATIF-v1.7";
  readonly session_id: string;
  readonly agent: { readonly name: string; readonly version: string; readonly model_name?: string };
  readonly steps: readonly AtifStep[];
  readonly final_metrics: Readonly<Record<string, number>>;
  readonly extra: Readonly<Record<string, Json>>;
}

/** Options for `eventsToAtif()`. */
export interface AtifOptions {
  readonly about: TranscriptRun;
  /** Include message and tool text. Without it, only calls and their outcomes. */
  readonly withText: boolean;
}

/** Converts a run to an ATIF trajectory. Phases and the end are in `extra`, which other tools ignore. */
export function eventsToAtif(events: readonly RunEvent[], { about, withText }: AtifOptions): AtifTrajectory {
  const steps: AtifStep[] = [];
  const byTurn = new Map<number, AtifStep>();
  let phase = "";
  let end: EventOf<"run.finished"> | undefined;

  function push(step: Omit<AtifStep, "step_id" | "timestamp">, at: number): AtifStep {
    const made: AtifStep = {
      step_id: steps.length + 1,
      ...(at > 0 && { timestamp: new Date(at).toISOString() }),
      ...step,
    };
    steps.push(made);
    return made;
  }
  function agentStep({ turn = 0, at }: RunEvent): AtifStep {
    const found = byTurn.get(turn);
    if (found !== undefined) return found;
    const made = push({ source: "agent", message: "", extra: { phase } }, at);
    byTurn.set(turn, made);
    return made;
  }

  for (const event of events) {
    if (event.type === "phase.transition" || event.type === "phase.rolled-back") phase = event.to;
    if (!isHostEvent(event)) continue;
    switch (event.type) {
      case "run.started":
        phase = event.phase;
        push({ source: "user", message: withText ? (event.task?.text ?? "") : "" }, event.at);
        break;
      case "message.received":
        push({ source: "user", message: withText ? (event.excerpt ?? "") : "" }, event.at);
        break;
      case "message.sent":
        if (withText) agentStep(event).message = event.excerpt ?? "";
        break;
      case "model.answered":
        noteAnswer(agentStep(event), event);
        break;
      case "tool.requested":
        (agentStep(event).tool_calls ??= []).push({
          tool_call_id: event.call ?? "",
          function_name: event.tool,
          arguments: withText ? (event.input ?? {}) : {},
        });
        break;
      case "tool.finished":
        (agentStep(event).observation ??= { results: [] }).results.push({
          source_call_id: event.call ?? "",
          content: withText ? textOf(event.output) : event.outcome,
        });
        break;
      case "run.finished":
        end = event;
        break;
      default:
        break;
    }
  }
  const totals = totalsOf(events, steps.length);
  return {
    schema_version: "ATIF-v1.7",
    session_id: about.id,
    agent: {
      name: about.agent ?? about.format,
      version: "unknown",
      ...(about.model !== undefined && { model_name: about.model }),
    },
    steps,
    final_metrics: totals,
    extra: end === undefined ? {} : { reason: end.reason, verified: end.verified, phase: end.phase },
  };
}

function noteAnswer(step: AtifStep, { model, usage }: EventOf<"model.answered">): void {
  if (model !== undefined) step.model_name = model;
  if (usage !== undefined) step.metrics = metricsOf(usage);
}

function metricsOf({ inputTokens, outputTokens, cachedInputTokens, cost }: Usage): Readonly<Record<string, number>> {
  return known({
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    cached_tokens: cachedInputTokens,
    cost_usd: cost,
  });
}

function totalsOf(events: readonly RunEvent[], steps: number): Readonly<Record<string, number>> {
  const usages = events.flatMap((event) =>
    event.type === "model.answered" && event.usage !== undefined ? [event.usage] : [],
  );
  const sum = (value: (usage: Usage) => number | undefined): number | undefined =>
    usages.some((usage) => value(usage) !== undefined)
      ? usages.reduce((all, usage) => all + (value(usage) ?? 0), 0)
      : undefined;
  return known({
    total_prompt_tokens: sum(({ inputTokens }) => inputTokens),
    total_completion_tokens: sum(({ outputTokens }) => outputTokens),
    total_cached_tokens: sum(({ cachedInputTokens }) => cachedInputTokens),
    total_cost_usd: sum(({ cost }) => cost),
    total_steps: steps,
  });
}

/** Omits unknown values; they are never 0. */
function known(members: Readonly<Record<string, number | undefined>>): Readonly<Record<string, number>> {
  return Object.fromEntries(
    Object.entries(members).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
  );
}

function textOf(output: unknown): string {
  return typeof output === "string" ? output : output === undefined ? "" : JSON.stringify(output);
}
