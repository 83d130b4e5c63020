import type { RunEvent } from "@phasekit/core";
import type { PhaseRecord } from "./records/phase-record.ts";
import type { TerminalState } from "./state-of-run.ts";
import { type RunSummary, type SummarizeOptions, summarizeRun } from "./summarize-run.ts";

/** The state of a run and, if it failed, why in one word: a reason, `compile:<kind>` or `predicate:<kind>`. */
export interface TerminalReport {
  readonly state: TerminalState;
  readonly failure?: string;
}

/**
 * Returns the state of a run, from its log or its summary.
 *
 * @example
 * terminalState(events) // { state: "failed", failure: "predicate:interface_missed" }
 */
export function terminalState(run: RunSummary | readonly RunEvent[], options?: SummarizeOptions): TerminalReport {
  const summary = isLog(run) ? summarizeRun(run, options) : run;
  const record = summary.phases.at(-1);
  const failure = summary.state === "running" || record === undefined ? undefined : failureOf(record);
  return { state: summary.state, ...(failure !== undefined && { failure }) };
}

/** Why an entry failed, in one word; `undefined` when it succeeded completely. */
export function failureOf({ reason, compile, predicateFailure }: PhaseRecord): string | undefined {
  if (reason !== undefined) return reason;
  if (compile !== undefined) return `compile:${compile.kind}`;
  return predicateFailure === undefined ? undefined : `predicate:${predicateFailure.kind}`;
}

function isLog(run: RunSummary | readonly RunEvent[]): run is readonly RunEvent[] {
  return Array.isArray(run);
}
