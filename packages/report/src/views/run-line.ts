import type { RunSummary } from "@phasekit/ledger";
import { isLoopKind, type RunStory } from "@phasekit/ledger/story";
import { shownText } from "./shown-text.ts";
import { spendRows } from "./spend-rows.ts";

/** One run as a row of the table of runs. */
export interface RunLine {
  readonly run: string;
  readonly title: string;
  readonly state: RunSummary["state"];
  readonly reason?: string;
  readonly verified: boolean;
  /** How well the end is backed by evidence; absent while the run has no end. */
  readonly grade?: string;
  /** Why it has this grade. */
  readonly evidence?: string;
  readonly startedAt: number;
  readonly elapsed: number;
  readonly events: number;
  /** The phases and their shares of the active time, for a bar. */
  readonly phases: readonly { readonly phase: string; readonly share: number; readonly failed: boolean }[];
  readonly loops: number;
  readonly calls: number;
  readonly wastedCalls: number;
  readonly tokens?: number;
  readonly wastedTokens?: number;
  readonly cost?: number;
  /** Model calls without a known cost: `cost` is a lower bound if there are any. */
  readonly unpricedCalls: number;
  /** The models of the run, in order of their first answer; absent if they are not known. */
  readonly models?: readonly string[];
  /** The tool and project of the run, in a few words. */
  readonly source?: string;
}

/** Summarizes a run in one row. */
export function runLine(summary: RunSummary, { loops }: RunStory): RunLine {
  return lineOf(summary, loops.length);
}

/** Summarizes a run without its events; counts the alerts about loops in the phase records. */
export function summaryLine(summary: RunSummary): RunLine {
  return lineOf(
    summary,
    summary.phases.reduce((sum, { alerts = [] }) => sum + alerts.filter(({ kind }) => isLoopKind(kind)).length, 0),
  );
}

function lineOf(summary: RunSummary, loops: number): RunLine {
  const { total } = spendRows(summary);
  const tokens =
    total.inputTokens === undefined && total.outputTokens === undefined
      ? undefined
      : (total.inputTokens ?? 0) + (total.outputTokens ?? 0);
  return {
    run: summary.run,
    title: titleOf(summary),
    state: summary.state,
    ...(summary.reason !== undefined && { reason: summary.reason }),
    verified: summary.verified === true,
    ...(summary.evidence !== undefined && {
      grade: gradeText(summary.evidence.grade),
      evidence: shownText(summary.evidence.why, 400),
    }),
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
    unpricedCalls: total.unpricedCalls,
  };
}

/** The marks of Markdown headings. */
const HEADING = /^[ \t]*#{1,6}[ \t]+/gm;

function titleOf({ task, run }: RunSummary): string {
  return shownText(task?.text?.replace(HEADING, "") ?? task?.id ?? run, 120);
}

/** The grade in words. */
function gradeText(grade: NonNullable<RunSummary["evidence"]>["grade"]): string {
  return grade === "not-needed" ? "not needed" : grade;
}

/** Shares by time, or by events if the log has no timestamps. */
function sharesOf({ phases, elapsed }: RunSummary): RunLine["phases"] {
  const weigh = (record: RunSummary["phases"][number]): number =>
    elapsed > 0 ? record.elapsed : record.lastSeq - record.firstSeq + 1;
  const all = phases.reduce((sum, record) => sum + weigh(record), 0);
  return phases.map((record) => ({
    phase: record.phase,
    share: all === 0 ? 1 / phases.length : weigh(record) / all,
    failed: !record.success,
  }));
}
