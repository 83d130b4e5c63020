import type { PhaseRecord } from "../records/phase-record.ts";

/** The share of one phase in a run, over all its entries. */
export interface PhaseShare {
  readonly phase: string;
  readonly entries: number;
  readonly turns: number;
  readonly calls: number;
  readonly elapsedMs: number;
  /** Absent if unknown. */
  readonly tokens?: number;
  /** Share of the run, from 0 to 1: of tokens if every answer reports them, else of calls, else of turns. */
  readonly share: number;
  readonly shareOf: "tokens" | "calls" | "turns";
}

/** Returns the phases of a run in the order of their first entry. */
export function sharesOf(records: readonly PhaseRecord[]): readonly PhaseShare[] {
  const byPhase = new Map<
    string,
    { entries: Set<string>; turns: number; calls: number; elapsedMs: number; tokens: number; known: boolean }
  >();
  for (const { phase, entry, elapsed, aggregates } of records) {
    const { usage, metric } = aggregates.total;
    const found = byPhase.get(phase) ?? {
      entries: new Set<string>(),
      turns: 0,
      calls: 0,
      elapsedMs: 0,
      tokens: 0,
      known: true,
    };
    found.entries.add(entry);
    found.turns += metric.turns;
    found.calls += metric.toolCalls;
    found.elapsedMs += elapsed;
    found.tokens += (usage.inputTokens ?? 0) + (usage.outputTokens ?? 0);
    found.known &&= usage.unknownCalls === 0;
    byPhase.set(phase, found);
  }
  const all = [...byPhase.values()];
  const total = (of: "tokens" | "calls" | "turns"): number => all.reduce((sum, phase) => sum + phase[of], 0);
  const shareOf =
    all.every(({ known }) => known) && total("tokens") > 0 ? "tokens" : total("calls") > 0 ? "calls" : "turns";
  const whole = Math.max(1, total(shareOf));
  return [...byPhase].map(([phase, { entries, turns, calls, elapsedMs, tokens, known }]) => ({
    phase,
    entries: entries.size,
    turns,
    calls,
    elapsedMs,
    ...(known && tokens > 0 && { tokens }),
    share: { tokens, calls, turns }[shareOf] / whole,
    shareOf,
  }));
}
