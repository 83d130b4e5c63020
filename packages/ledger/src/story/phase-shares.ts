import type { EventOf, RunEvent } from "@phasekit/core";
import { defined } from "@phasekit/core/adapter";
import { addAnswer, type AggregateFold, aggregateToRecord, emptyAggregate } from "../records/usage-fold.ts";
import type { PhaseRecord } from "../records/phase-record.ts";
import { type KnownCost, knownCost } from "../words/numbers.ts";

type Usage = PhaseRecord["aggregates"]["total"]["usage"];

/** The share of one phase in a run, over all its entries, without sub-agents. Absent members are unknown. */
export interface PhaseShare extends KnownCost {
  readonly phase: string;
  readonly entries: number;
  readonly turns: number;
  readonly calls: number;
  readonly failedCalls: number;
  readonly wastedCalls: number;
  readonly elapsedMs: number;
  readonly inputTokens?: number;
  readonly cachedTokens?: number;
  readonly outputTokens?: number;
  /** Input and output tokens, if every answer reports them. */
  readonly tokens?: number;
  /** Share of the run, from 0 to 1: of tokens if every answer reports them, else of calls, else of turns. */
  readonly share: number;
  readonly shareOf: "tokens" | "calls" | "turns";
}

/** The usage of the run itself, in all and by phase. */
export interface UsageFold {
  readonly add: (event: RunEvent) => void;
  readonly total: () => Usage;
  readonly of: (phase: string) => Usage;
}

/** Creates a fold over the answers of a run. */
export function createUsageFold(): UsageFold {
  const total = emptyAggregate();
  const byPhase = new Map<string, AggregateFold>();
  let phase = "";
  const answer = (event: EventOf<"model.answered">): void => {
    const own = byPhase.get(phase) ?? emptyAggregate();
    byPhase.set(phase, own);
    addAnswer(own, event);
    addAnswer(total, event);
  };
  return {
    add: (event) => {
      if (event.type === "model.answered") answer(event);
      else if (event.type === "run.started") phase = event.phase;
      else if (event.type === "phase.transition" || event.type === "phase.rolled-back") phase = event.to;
    },
    total: () => aggregateToRecord(total).usage,
    of: (name) => aggregateToRecord(byPhase.get(name) ?? emptyAggregate()).usage,
  };
}

/** Returns the phases of a run in the order of their first entry. */
export function sharesOf(records: readonly PhaseRecord[], usageOf: UsageFold["of"]): readonly PhaseShare[] {
  const rows = [...new Set(records.map(({ phase }) => phase))].map((name) =>
    rowOf(
      name,
      records.filter(({ phase }) => phase === name),
      usageOf(name),
    ),
  );
  const total = (of: "tokens" | "calls" | "turns"): number => rows.reduce((sum, row) => sum + (row[of] ?? 0), 0);
  const isWhole = rows.every(({ tokens }) => tokens !== undefined);
  const shareOf = isWhole && total("tokens") > 0 ? "tokens" : total("calls") > 0 ? "calls" : "turns";
  const whole = Math.max(1, total(shareOf));
  return rows.map((row) => ({ ...row, share: (row[shareOf] ?? 0) / whole, shareOf }));
}

function rowOf(phase: string, records: readonly PhaseRecord[], usage: Usage): Omit<PhaseShare, "share" | "shareOf"> {
  const sum = (read: (record: PhaseRecord) => number): number => records.reduce((all, record) => all + read(record), 0);
  const { inputTokens, outputTokens, cachedInputTokens, unknownCalls } = usage;
  return {
    phase,
    entries: new Set(records.map(({ entry }) => entry)).size,
    turns: sum(({ aggregates }) => aggregates.total.metric.turns),
    calls: sum(({ aggregates }) => aggregates.total.metric.toolCalls),
    failedCalls: sum(({ aggregates }) => aggregates.total.metric.toolErrors),
    wastedCalls: sum(({ wasted }) => wasted?.calls ?? 0),
    elapsedMs: sum(({ elapsed }) => elapsed),
    ...defined({ inputTokens, cachedTokens: cachedInputTokens, outputTokens }),
    ...(unknownCalls === 0 && { tokens: (inputTokens ?? 0) + (outputTokens ?? 0) }),
    ...knownCost(usage),
  };
}
