import type { HostEvent, Usage } from "@phasekit/core";
import { defined } from "@phasekit/core/adapter";
import type { PhaseRecord } from "./phase-record.ts";

type Aggregate = PhaseRecord["aggregates"]["total"];
type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** The totals so far. */
export interface AggregateFold {
  readonly usage: Mutable<Aggregate["usage"]>;
  readonly metric: Mutable<Aggregate["metric"]>;
}

const KEYS = [
  "inputTokens",
  "cachedInputTokens",
  "cacheWriteTokens",
  "outputTokens",
  "reasoningTokens",
  "cost",
] as const;

export function emptyAggregate(): AggregateFold {
  return {
    usage: { modelCalls: 0, unknownCalls: 0, estimatedCalls: 0 },
    metric: {
      attempts: 0,
      modelFailures: 0,
      validationFailures: 0,
      turns: 0,
      iterations: 0,
      toolCalls: 0,
      toolErrors: 0,
    },
  };
}

/** Adds a model call; unreported numbers stay absent. */
export function addAnswer({ usage, metric }: AggregateFold, { usage: reported }: HostEvent<"model.answered">): void {
  metric.attempts += 1;
  usage.modelCalls += 1;
  if (reported?.inputTokens === undefined && reported?.outputTokens === undefined) usage.unknownCalls += 1;
  if (reported?.cost === undefined) addUnpriced(usage, 1);
  addUsage(usage, reported);
}

/** Adds what a sub-agent spent. Logs of earlier versions say 0 for a cost that is not known. */
export function addChild(
  { usage }: AggregateFold,
  { usage: reported, unknownUsage = 0, unknownCost }: HostEvent<"child.progressed">,
): void {
  const { cost = 0, ...tokens } = reported ?? {};
  const isPriced = unknownCost === undefined ? cost > 0 : reported?.cost !== undefined;
  const spent = (tokens.inputTokens ?? 0) + (tokens.outputTokens ?? 0) > 0;
  usage.unknownCalls += unknownUsage;
  addUnpriced(usage, unknownCost ?? Math.max(unknownUsage, spent && !isPriced ? 1 : 0));
  addUsage(usage, { ...tokens, ...(isPriced && { cost }) });
}

/** Counts calls without a price; absent while there are none. */
function addUnpriced(usage: AggregateFold["usage"], calls: number): void {
  if (calls > 0) usage.unpricedCalls = (usage.unpricedCalls ?? 0) + calls;
}

function addUsage(usage: AggregateFold["usage"], reported: Usage | undefined): void {
  if (reported === undefined) return;
  if (reported.estimated === true) usage.estimatedCalls += 1;
  for (const key of KEYS) {
    const value = reported[key];
    if (value !== undefined) usage[key] = (usage[key] ?? 0) + value;
  }
}

/** Cache hit rate and convergence of retries; absent without attempts. */
export function costSignals(
  { usage, metric }: AggregateFold,
  { assumeUncached }: { readonly assumeUncached: boolean },
): PhaseRecord["costSignals"] {
  if (metric.attempts === 0) return undefined;
  const { inputTokens, cachedInputTokens = assumeUncached && inputTokens !== undefined ? 0 : undefined } = usage;
  return defined({
    cacheHitRate: inputTokens && cachedInputTokens !== undefined ? cachedInputTokens / inputTokens : undefined,
    failureRate: metric.validationFailures / metric.attempts,
    inputTokensTotal: inputTokens,
    inputTokensCached: cachedInputTokens,
  });
}

/** In the order of the schema, so that equal folds give equal texts. */
export function aggregateToRecord({ usage, metric }: AggregateFold): Aggregate {
  const known = defined(Object.fromEntries(KEYS.map((key) => [key, usage[key]]))) as Partial<Aggregate["usage"]>;
  const { modelCalls, unknownCalls, estimatedCalls, unpricedCalls = 0 } = usage;
  // Without any known cost, the absent cost says it.
  const unpriced = known.cost === undefined || unpricedCalls === 0 ? {} : { unpricedCalls };
  return { usage: { ...known, modelCalls, unknownCalls, estimatedCalls, ...unpriced }, metric: { ...metric } };
}
