import { phaseSpec } from "../phase-graph.ts";
import type { EntryMetrics, LimitName, RunView } from "../run-view.ts";

/** Spending of a phase over its entries, by limit. Costs are not known by phase. */
export type PhaseSpend = Readonly<Record<Exclude<LimitName, "cost">, number>>;

const NOTHING: PhaseSpend = { turns: 0, tokens: 0, timeMs: 0 };

/** Adds an entry that was left. */
export function addEntry(phases: Map<string, PhaseSpend>, phase: string, metrics: EntryMetrics): void {
  phases.set(phase, sum(phases.get(phase) ?? NOTHING, metrics));
}

/** The limit of which the present phase has used more than its `share`. */
export function overShare(
  run: RunView,
  phases: ReadonlyMap<string, PhaseSpend>,
): { readonly limit: Exclude<LimitName, "cost">; readonly share: number } | undefined {
  const share = phaseSpec(run.graph, run.phase)?.share;
  if (share === undefined) return undefined;
  const spent = sum(phases.get(run.phase) ?? NOTHING, run.entry);
  const limit = (["turns", "tokens", "timeMs"] as const).find(
    (name) => spent[name] > share * (run.limits[name] ?? Infinity),
  );
  return limit === undefined ? undefined : { limit, share };
}

function sum(before: PhaseSpend, { turns, inputTokens, outputTokens, activeMs }: EntryMetrics): PhaseSpend {
  return {
    turns: before.turns + turns,
    tokens: before.tokens + inputTokens + outputTokens,
    timeMs: before.timeMs + activeMs,
  };
}
