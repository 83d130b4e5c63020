import type { PhaseRecord, RunSummary } from "@phasekit/ledger";

/** The cost of all entries of one phase. Absent members are unknown. */
export interface SpendRow {
  readonly phase: string;
  readonly entries: number;
  readonly elapsed: number;
  readonly turns: number;
  readonly calls: number;
  readonly errors: number;
  readonly inputTokens?: number;
  readonly cachedTokens?: number;
  readonly outputTokens?: number;
  readonly cost?: number;
  /** Model calls without a known cost. */
  readonly unpricedCalls: number;
  readonly wastedCalls: number;
  readonly wastedTokens?: number;
}

/** Returns cost and waste by phase, in order of first entry, and the total. */
export function spendRows(summary: RunSummary): { readonly rows: readonly SpendRow[]; readonly total: SpendRow } {
  const phases = new Map<string, PhaseRecord[]>();
  for (const record of summary.phases) phases.set(record.phase, [...(phases.get(record.phase) ?? []), record]);
  return {
    rows: [...phases].map(([phase, records]) => sumUp(phase, records)),
    total: sumUp("all", summary.phases),
  };
}

/** Returns the number of model calls without a known cost. */
export function unpricedCallsOf({ aggregates }: PhaseRecord): number {
  const { cost, modelCalls, unpricedCalls = 0 } = aggregates.total.usage;
  return cost === undefined ? modelCalls : unpricedCalls;
}

function sumUp(phase: string, records: readonly PhaseRecord[]): SpendRow {
  const add = (read: (record: PhaseRecord) => number): number => records.reduce((sum, record) => sum + read(record), 0);
  const known = <K extends string>(
    name: K,
    read: (record: PhaseRecord) => number | undefined,
  ): { readonly [P in K]?: number } => {
    const values = records.map(read).filter((value) => value !== undefined);
    return (values.length === 0 ? {} : { [name]: values.reduce((sum, value) => sum + value, 0) }) as {
      readonly [P in K]?: number;
    };
  };
  return {
    phase,
    entries: records.length,
    elapsed: add(({ elapsed }) => elapsed),
    turns: add(({ aggregates }) => aggregates.total.metric.turns),
    calls: add(({ aggregates }) => aggregates.total.metric.toolCalls),
    errors: add(({ aggregates }) => aggregates.total.metric.toolErrors),
    ...known("inputTokens", ({ aggregates }) => aggregates.total.usage.inputTokens),
    ...known("cachedTokens", ({ aggregates }) => aggregates.total.usage.cachedInputTokens),
    ...known("outputTokens", ({ aggregates }) => aggregates.total.usage.outputTokens),
    ...known("cost", ({ aggregates }) => aggregates.total.usage.cost),
    unpricedCalls: add(unpricedCallsOf),
    wastedCalls: add(({ wasted }) => wasted?.calls ?? 0),
    ...known("wastedTokens", ({ wasted }) => wasted?.tokens),
  };
}
