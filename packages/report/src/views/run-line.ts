import type { RunEvent } from "@phasekit/core";
import type { RunSummary } from "@phasekit/ledger";
import { loopRows } from "./loop-rows.ts";
import { shownText } from "./shown-text.ts";
import { spendRows } from "./spend-rows.ts";

/** One run as a line of the table of runs. */
export interface RunLine {
  readonly run: string;
  readonly title: string;
  readonly state: RunSummary["state"];
  readonly reason?: string;
  readonly verified: boolean;
  readonly startedAt: number;
  readonly elapsed: number;
  readonly events: number;
  /** The phases as shares of the run's own time, for a bar. */
  readonly phases: readonly { readonly phase: string; readonly share: number; readonly failed: boolean }[];
  readonly loops: number;
  readonly calls: number;
  readonly wastedCalls: number;
  readonly tokens?: number;
  readonly wastedTokens?: number;
  readonly cost?: number;
}

/** Sums a run up in one line. */
export function runLine(summary: RunSummary, events: readonly RunEvent[]): RunLine {
  return lineOf(summary, loopRows(events).length);
}

/** The same from a summary alone: alerts are counted as its records have them. */
export function summaryLine(summary: RunSummary): RunLine {
  return lineOf(summary, summary.phases.reduce((sum, { alerts = [] }) => sum + alerts.length, 0));
}

function lineOf(summary: RunSummary, loops: number): RunLine {
  const { total } = spendRows(summary);
  const tokens = total.inputTokens === undefined && total.outputTokens === undefined ? undefined : (total.inputTokens ?? 0) + (total.outputTokens ?? 0);
  return {
    run: summary.run,
    title: shownText(summary.task?.text ?? summary.task?.id ?? summary.run, 120),
    state: summary.state,
    ...(summary.reason !== undefined && { reason: summary.reason }),
    verified: summary.verified === true,
    startedAt: summary.startedAt,
    elapsed: summary.elapsed,
    events: summary.seq,
    phases: sharesOf(summary),
    loops,
    calls: total.calls,
    wastedCalls: total.wastedCalls,
    ...(tokens !== undefined && { tokens }),
    ...(total.wastedTokens !== undefined && { wastedTokens: total.wastedTokens }),
    ...(total.cost !== undefined && { cost: total.cost }),
  };
}

/** By time; where the log has no times, by events. */
function sharesOf({ phases, elapsed }: RunSummary): RunLine["phases"] {
  const weigh = (record: RunSummary["phases"][number]): number => (elapsed > 0 ? record.elapsed : record.lastSeq - record.firstSeq + 1);
  const all = phases.reduce((sum, record) => sum + weigh(record), 0);
  return phases.map((record) => ({ phase: record.phase, share: all === 0 ? 1 / phases.length : weigh(record) / all, failed: !record.success }));
}
