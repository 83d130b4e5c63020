import { type EntryOutcome, type HostEvent, type Reason, reasons } from "@phasekit/core";
import { defined } from "@phasekit/core/adapter";
import { invalidRecord } from "../errors.ts";
import { clipBytes } from "./clip-bytes.ts";
import { closeTurn, type EntryFold } from "./entry-fold.ts";
import type { PhaseRecord } from "./phase-record.ts";
import { causeIssue } from "./record-cause.ts";
import { subLoopRows } from "./sub-loops.ts";
import { aggregateToRecord, costSignals } from "./usage-fold.ts";
import { topValidationErrors } from "./validation-patterns.ts";

const MAX_MESSAGE_BYTES = 1024;
const STAGNATION: ReadonlySet<Reason> = new Set(["aborted_stagnation", "aborted_cumulative_loop"]);

/** The event that closed an entry, and its cause. */
export interface EntryEnd {
  readonly run: string;
  readonly at: number;
  readonly seq: number;
  readonly closedBy: PhaseRecord["closedBy"];
  readonly next?: string;
  readonly outcome: EntryOutcome;
  /** Why it ended. */
  readonly reason?: Reason | undefined;
  readonly predicate?: string | undefined;
  readonly error?: HostEvent<"run.finished">["error"];
  readonly assumeUncached: boolean;
}

/**
 * Makes the one record of an entry. The closing event says whether it succeeded; a compilation that failed last says
 * otherwise, unless the host recorded single operations, where any usable output is a success and only all of it is
 * clean. A failed entry without a cause becomes a predicate failure of kind "unknown", so it can never be written
 * without one.
 */
export function closeEntry(fold: EntryFold, closing: EntryEnd): PhaseRecord {
  closeTurn(fold);
  const compile = compileOf(fold);
  const hasOperations = fold.failedCount + fold.doneCount > 0;
  const thrown = isThrown(closing);
  const usable = fold.doneCount > 0 || [...fold.commodity.values()].some((amount) => amount > 0);
  const success = hasOperations
    ? !thrown && (usable || (closing.outcome === "completed" && fold.failedCount === 0))
    : closing.outcome === "completed" && compile === undefined;
  const reason = success ? undefined : thrown ? closing.reason : undefined;
  const endReason =
    closing.reason ??
    (closing.outcome === "completed" ? "advanced" : closing.outcome === "abandoned" ? "abandoned" : "unknown");
  const blamed = reason ?? (success || endReason === "done_unverified" ? endReason : "unknown");
  const error = success ? undefined : (closing.error ?? (thrown ? fold.error : undefined));
  const { nudges, refusals, runtime } = fold;

  // A log of a later version may end for a reason that is not known here.
  const { blame, countsAgainstModel } = Object.hasOwn(reasons, blamed) ? reasons[blamed] : reasons.unknown;

  const record: PhaseRecord = defined({
    v: 1 as const,
    run: closing.run,
    entry: fold.entry,
    phase: fold.phase,
    attempt: fold.attempt,
    startedAt: fold.startedAt,
    endedAt: closing.at,
    firstSeq: fold.firstSeq,
    lastSeq: closing.seq,
    closedBy: closing.closedBy,
    next: closing.next,
    success,
    cleanCompletion: cleanCompletionOf(fold, success),
    reason,
    endReason,
    blame,
    countsAgainstModel,
    compile,
    predicateFailure: predicateOf(fold, closing, { success, compile }),
    error: error && errorOf(error),
    lastStagnation: reason !== undefined && STAGNATION.has(reason) ? fold.lastAlert : undefined,
    elapsed: fold.elapsed,
    commodity: Object.fromEntries(fold.commodity),
    aggregates: defined({
      total: withFiles(aggregateToRecord(fold.total), fold.files.size),
      loops:
        fold.loops.size > 0
          ? Object.fromEntries([...fold.loops].map(([loop, aggregate]) => [loop, aggregateToRecord(aggregate)]))
          : undefined,
    }),
    costSignals: costSignals(fold.total, closing),
    operationOutcomes: hasOperations ? [...fold.failedOperations, ...fold.doneOperations] : undefined,
    operationsOmitted: fold.operationsOmitted || undefined,
    runtime: runtime && runtimeOf(runtime),
    subLoops: fold.subLoops.size > 0 ? subLoopRows(fold.subLoops) : undefined,
    topValidationErrors: topValidationErrors(fold.validation),
    resumability: fold.resumability,
    evidence: rowsOf(fold.evidence),
    alerts: rowsOf(fold.alerts),
    nudges: Object.values(nudges).some((count) => count > 0) ? { ...nudges } : undefined,
    wasted:
      fold.wastedCalls > 0 || fold.wastedTokens !== undefined
        ? defined({ calls: fold.wastedCalls, tokens: fold.wastedTokens })
        : undefined,
    refusals: refusals.calls + refusals.finishes > 0 ? { ...refusals } : undefined,
    tests: fold.tests && { ...fold.tests },
    diff: fold.diff,
    children: rowsOf(fold.children),
  });
  const issue = causeIssue(record);
  if (issue !== undefined) throw invalidRecord(fold.entry, issue);
  return record;
}

function runtimeOf({ outcome, passed, failed, first }: HostEvent<"check.finished">): PhaseRecord["runtime"] {
  return defined({ outcome, passed, failed, first: first?.slice(0, 200) });
}

/** True if a reason says why the entry failed. After `done_unverified` the condition that was false does. */
function isThrown({ outcome, reason }: EntryEnd): boolean {
  return outcome !== "completed" && reason !== undefined && reason !== "done_unverified";
}

/** Clean needs a compile result: without one it stays open, unless something else failed. */
function cleanCompletionOf({ compile, failedCount, doneCount }: EntryFold, success: boolean): boolean | undefined {
  if (failedCount + doneCount === 0) return undefined;
  return success && failedCount === 0 ? compile && compile.outcome === "success" : false;
}

/** The values of a map as a list; absent without any. */
function rowsOf<T>(rows: ReadonlyMap<string, T>): T[] | undefined {
  return rows.size === 0 ? undefined : [...rows.values()];
}

function compileOf({ compile }: EntryFold): PhaseRecord["compile"] {
  if (compile === undefined || compile.outcome === "success") return undefined;
  const { outcome, count, failed, first } = compile;
  // Only diagnostics can be counted; a compiler that crashed has none.
  const diagnostics = outcome === "failure" ? (count ?? failed) : undefined;
  return defined({ kind: outcome, count: diagnostics, first: first?.slice(0, 500) });
}

function predicateOf(
  fold: EntryFold,
  closing: EntryEnd,
  { success, compile }: { readonly success: boolean; readonly compile: PhaseRecord["compile"] },
): PhaseRecord["predicateFailure"] {
  const { predicate = "unknown" } = closing;
  const thrown = isThrown(closing);
  // Failed operations are listed even when the entry counts as a success.
  if (fold.failedCount > 0 && !thrown) return { kind: `${fold.phase}_operation_failures`, count: fold.failedCount };
  // A reason or a compilation that says why the entry failed leaves nothing for a condition to say.
  if (success || thrown || compile !== undefined) return undefined;
  const gate = fold.failedGates.get(predicate);
  return defined({ kind: predicate, count: gate?.count ?? gate?.failed });
}

/** Nothing read means no information for hosts that report no targets. */
function withFiles(
  { usage, metric }: PhaseRecord["aggregates"]["total"],
  filesRead: number,
): PhaseRecord["aggregates"]["total"] {
  return { usage, metric: { ...metric, ...(filesRead > 0 && { filesRead }) } };
}

function errorOf({ name, message, code, status }: NonNullable<EntryEnd["error"]>): PhaseRecord["error"] {
  return defined({
    name: name && clipBytes(name, 200),
    message: clipBytes(message, MAX_MESSAGE_BYTES),
    code: code && clipBytes(code, 200),
    status,
  });
}
