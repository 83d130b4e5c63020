import { type Mode, quote, type Reason, type RunEvent } from "@phasekit/core";
import { createSummary, type RunSummary, type TerminalState } from "@phasekit/ledger";
import { createCallRing } from "./call-ring.ts";
import { createInterventionFold, type Interventions } from "./interventions.ts";
import { createLoopFold, type Loop } from "./loops.ts";
import { type PhaseShare, sharesOf } from "./phase-shares.ts";
import { createWorkFold, type Work } from "./work.ts";

/** What became of one run, ready to be told: a fold over its events, never larger than its limits. */
export interface RunStory {
  readonly run: string;
  readonly state: TerminalState;
  /** Why it ended; absent while it runs or when its log just stops. */
  readonly reason?: Reason;
  /** Whether a gate vouched for the end; absent when it did not end. */
  readonly verified?: boolean;
  /** The phase it ended in. */
  readonly phase: string;
  readonly mode: Mode;
  readonly turns: number;
  readonly calls: number;
  readonly failedCalls: number;
  /** Active time; 0 when the log has no times. */
  readonly elapsedMs: number;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly usage: RunSummary["usage"];
  /** Input and output together; absent when no answer says. */
  readonly tokens?: number;
  readonly phases: readonly PhaseShare[];
  readonly moves: number;
  readonly work: Work;
  readonly gates: readonly { readonly gate: string; readonly verdict: "pass" | "concerns" | "fail"; readonly text?: string; readonly problem?: string }[];
  /** What went wrong at the end, when it was an error. Foreign text. */
  readonly error?: string;
  readonly loops: readonly Loop[];
  readonly wasted: { readonly calls: number; readonly tokens?: number };
  readonly interventions: Interventions;
  readonly children: number;
}

/** Which decisions count: those that were carried out, or all that were made. */
export interface StoryOptions {
  /** @default "decided": in a mode that only observes, what a stricter one would have done */
  readonly count?: "applied" | "decided";
}

/** Reads a run event by event; the same events always give the same story. */
export function createStory({ count = "decided" }: StoryOptions = {}): { readonly add: (event: RunEvent) => void; readonly get: () => RunStory } {
  const summary = createSummary();
  const ring = createCallRing();
  const work = createWorkFold();
  const interventions = createInterventionFold({ counted: ({ applied }) => applied || count === "decided" });
  let tokens: number | undefined;
  const loops = createLoopFold({ ring, tokens: () => tokens });
  const pending = new Map<string, number>();
  let gates: RunStory["gates"] = [];
  let mode: Mode = "observe";
  let moves = 0;
  let children = 0;

  function takeCall(event: Extract<RunEvent, { type: "tool.requested" | "tool.finished" }>): void {
    const known = event.call === undefined ? undefined : pending.get(event.call);
    if (known === undefined) ring.add(event, tokens ?? 0);
    if (event.type === "tool.requested") {
      if (event.call !== undefined && pending.size < 1000) pending.set(event.call, ring.count());
      return;
    }
    if (event.call !== undefined) pending.delete(event.call);
    work.add(event, known ?? ring.count());
  }

  function add(event: RunEvent): void {
    summary.add(event);
    switch (event.type) {
      case "run.started":
        mode = event.mode;
        break;
      case "model.answered":
        if (event.usage?.inputTokens !== undefined || event.usage?.outputTokens !== undefined) tokens = (tokens ?? 0) + (event.usage.inputTokens ?? 0) + (event.usage.outputTokens ?? 0);
        break;
      case "tool.requested":
      case "tool.finished":
        takeCall(event);
        break;
      case "alert.raised":
        loops.raise(event);
        break;
      case "alert.cleared":
        loops.clear(event);
        break;
      case "finish.requested":
        gates = [];
        break;
      case "finish.vouched":
        gates = [...gates, { gate: event.gate, verdict: event.verdict }];
        break;
      case "finish.vetoed":
        gates = [...gates, { gate: event.gate, verdict: "fail", text: event.text, ...problemIn(event.evidence) }];
        break;
      case "phase.transition":
        moves += 1;
        break;
      case "child.started":
        children += 1;
        break;
      default:
        break;
    }
    interventions.add(event, { call: ring.count(), tokens });
  }

  function get(): RunStory {
    const { run, state, reason, verified, phase, elapsed, startedAt, updatedAt, usage, phases } = summary.get();
    const sum = (value: (record: (typeof phases)[number]) => number | undefined): number => phases.reduce((all, record) => all + (value(record) ?? 0), 0);
    // What only some answers told says nothing about single stretches of the run.
    const isWhole = usage.unknownCalls === 0;
    const wastedTokens = isWhole && phases.some(({ wasted }) => wasted?.tokens !== undefined) ? sum(({ wasted }) => wasted?.tokens) : undefined;
    const error = phases.at(-1)?.error?.message;
    return {
      run, state, ...(reason !== undefined && { reason }), ...(verified !== undefined && { verified }), phase, mode,
      turns: sum(({ aggregates }) => aggregates.total.metric.turns),
      calls: ring.count(),
      failedCalls: sum(({ aggregates }) => aggregates.total.metric.toolErrors),
      elapsedMs: elapsed, startedAt, endedAt: updatedAt, usage,
      ...(tokens !== undefined && { tokens }),
      phases: sharesOf(phases), moves, work: work.get(), gates,
      ...(error !== undefined && { error: quote(error, { max: 200 }) }),
      loops: isWhole ? loops.get() : loops.get().map(({ tokens: _tokens, ...loop }) => loop),
      wasted: { calls: sum(({ wasted }) => wasted?.calls), ...(wastedTokens !== undefined && { tokens: wastedTokens }) },
      interventions: isWhole ? interventions.get() : withoutTokens(interventions.get()),
      children,
    };
  }

  return { add, get };
}

function withoutTokens({ first, stop, ...counts }: Interventions): Interventions {
  const { tokens: _first, ...word } = first ?? {};
  const { tokens: _stop, ...end } = stop ?? {};
  return { ...counts, ...(first !== undefined && { first: word as NonNullable<Interventions["first"]> }), ...(stop !== undefined && { stop: end as NonNullable<Interventions["stop"]> }) };
}

function problemIn(evidence: unknown): { readonly problem?: string } {
  const problem = typeof evidence === "object" && evidence !== null ? (evidence as { readonly problem?: unknown }).problem : undefined;
  return typeof problem === "string" ? { problem } : {};
}
