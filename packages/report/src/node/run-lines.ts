import type { RunEvent } from "@phasekit/core";
import { readRun, type RunStore, type RunSummary } from "@phasekit/ledger";
import { pricedOverview, type ReportPrices } from "../views/priced-overview.ts";
import { type RunLine, summaryLine } from "../views/run-line.ts";

/** Runs that one request reads whole. */
const READ_AT_ONCE = 20;

/**
 * Creates a function that returns the line of each run. A summary lacks the open entry of a run in progress, its models
 * and prices, so the newest runs are read whole, and again when they grow. The others follow with the next requests.
 */
export function createRunLines({
  store,
  clean,
  prices,
}: {
  readonly store: RunStore;
  /** Removes secrets. */
  readonly clean: (event: RunEvent) => RunEvent;
  readonly prices: ReportPrices | undefined;
}): (summaries: readonly RunSummary[]) => Promise<readonly RunLine[]> {
  const known = new Map<string, { readonly key: string; readonly line: RunLine }>();
  return async (summaries) => {
    const wanted = summaries
      .filter((summary) => known.get(summary.run)?.key !== keyOf(summary))
      .sort((a, b) => b.updatedAt - a.updatedAt)
      .slice(0, READ_AT_ONCE);
    for (const summary of wanted) {
      const line = await readLine(summary).catch(() => summaryLine(summary));
      known.set(summary.run, { key: keyOf(summary), line });
    }
    return summaries.map((summary) => known.get(summary.run)?.line ?? summaryLine(summary));
  };

  async function readLine({ run, state }: RunSummary): Promise<RunLine> {
    const events = (await readRun(store, run)).map(clean);
    return pricedOverview(events, { prices, alive: state === "running" }).line;
  }
}

const keyOf = ({ seq, state }: RunSummary): string => `${String(seq)} ${state}`;
