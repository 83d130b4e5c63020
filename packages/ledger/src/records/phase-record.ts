import { type Reason, reasons } from "@phasekit/core";
import { z } from "zod";
import { invalidRecord } from "../errors.ts";
import { causeIssue } from "./record-cause.ts";

const count = z.int().nonnegative();
const amount = z.number().nonnegative();
const reason = z.enum(Object.keys(reasons) as [Reason, ...Reason[]]);

const usage = z.object({
  /** Absent when no call said how much; unknown is never zero. */
  inputTokens: amount.optional(),
  cachedInputTokens: amount.optional(),
  cacheWriteTokens: amount.optional(),
  outputTokens: amount.optional(),
  reasoningTokens: amount.optional(),
  cost: amount.optional(),
  modelCalls: count,
  unknownCalls: count,
  estimatedCalls: count,
  /** Calls that `cost` does not contain, because their price is not known. */
  unpricedCalls: count.optional(),
});

const metric = z.object({
  attempts: count,
  modelFailures: count,
  validationFailures: count,
  turns: count,
  iterations: count,
  toolCalls: count,
  toolErrors: count,
  /** Different files that were read; only in the total of an entry. */
  filesRead: count.optional(),
});
const aggregate = z.object({ usage, metric });

const error = z.object({
  name: z.string().optional(),
  message: z.string(),
  code: z.string().optional(),
  status: z.number().optional(),
});
const compile = z.object({
  kind: z.enum(["failure", "exception"]),
  count: count.optional(),
  first: z.string().optional(),
});
const predicateFailure = z.object({ kind: z.string().min(1), count: count.optional() });

const shape = z.object({
  /** The version of this record's shape. */
  v: z.literal(1),
  run: z.string(),
  /** As `acting#2`: the second stay in that phase. */
  entry: z.string(),
  phase: z.string(),
  attempt: count,
  startedAt: z.number(),
  endedAt: z.number(),
  /** The events of this entry, first and last. */
  firstSeq: count,
  lastSeq: count,
  closedBy: z.enum(["transition", "rollback", "finish", "resume", "end-of-log"]),
  /** The phase that followed, when a move closed the entry. */
  next: z.string().optional(),

  success: z.boolean(),
  /** Only where the host recorded single operations: everything compiled and no operation failed. */
  cleanCompletion: z.boolean().optional(),
  /** Why the entry failed; absent when it succeeded. */
  reason: reason.optional(),
  /** Why the entry ended, whether it failed or not. */
  endReason: reason,
  blame: z.enum(["none", "agent", "provider", "host", "user", "policy"]),
  countsAgainstModel: z.boolean(),
  compile: compile.optional(),
  predicateFailure: predicateFailure.optional(),
  error: error.optional(),
  /** The alert that caused a stop for stagnation. */
  lastStagnation: z.object({ type: z.string(), kind: z.string(), signature: z.string(), count }).optional(),

  /** Active time in milliseconds: neither suspended time nor the gap before a resume. */
  elapsed: amount,
  /** How many of what was produced, by kind. */
  commodity: z.record(z.string(), amount),
  aggregates: z.object({ total: aggregate, loops: z.record(z.string(), aggregate).optional() }),
  costSignals: z
    .object({
      cacheHitRate: amount.optional(),
      failureRate: amount,
      inputTokensTotal: amount.optional(),
      inputTokensCached: amount.optional(),
    })
    .optional(),
  operationOutcomes: z
    .array(z.object({ name: z.string(), outcome: z.enum(["success", "failure"]), why: z.string().optional() }))
    .optional(),
  /** Operations left out of the list, which keeps failures first. */
  operationsOmitted: count.optional(),
  runtime: z
    .object({
      outcome: z.enum(["success", "failure", "exception"]),
      passed: count.optional(),
      failed: count.optional(),
      first: z.string().optional(),
    })
    .optional(),
  subLoops: z.array(z.object({ type: z.string(), eventCount: count, elapsedMs: amount })).optional(),
  topValidationErrors: z.array(z.object({ path: z.string(), expected: z.string().optional(), count })).optional(),
  /** State that the attempt before this one left, seen when this one began. */
  resumability: z
    .object({
      /** True if a turn had begun, so that there is something to take up. */
      available: z.boolean(),
      at: z.number(),
      elapsed: amount,
      events: count,
      turns: count,
      lastEvent: z.string(),
      /** Why the attempt before ended; absent when its log just stops. */
      reason: reason.optional(),
      /** Calls that were asked for and never answered. */
      lostCalls: z.array(z.string()).optional(),
      /** The last turn that was complete: where the work can be taken up. */
      checkpointSeq: count,
    })
    .optional(),

  evidence: z
    .array(
      z.object({
        gate: z.string(),
        verdict: z.enum(["pass", "concerns", "weak", "met", "doubt", "not-needed", "unavailable", "fail", "waived"]),
        text: z.string().optional(),
      }),
    )
    .optional(),
  alerts: z
    .array(
      z.object({
        policy: z.string(),
        kind: z.string(),
        signature: z.string(),
        severity: z.enum(["notice", "warning", "critical"]),
        count,
        times: count,
      }),
    )
    .optional(),
  nudges: z
    .object({ sent: count, applied: count, helped: count, ignored: count, lost: count, dropped: count })
    .optional(),
  /** Calls that failed or brought nothing new, and the tokens of turns made of nothing else. */
  wasted: z.object({ calls: count, tokens: amount.optional() }).optional(),
  /** Calls we refused and finishes we sent back. */
  refusals: z.object({ calls: count, finishes: count }).optional(),
  /** The last test run, and whether something was edited after it. */
  tests: z
    .object({
      verdict: z.enum(["pass", "fail", "unknown"]),
      passed: count.optional(),
      failed: count.optional(),
      editsSince: count,
    })
    .optional(),
  /** The last state of the workspace that the host recorded. */
  diff: z
    .object({
      filesChanged: count.optional(),
      linesAdded: count.optional(),
      linesRemoved: count.optional(),
      commits: count.optional(),
    })
    .optional(),
  /** Sub-agents and what they spent, which is part of the totals. */
  children: z
    .array(
      z.object({
        run: z.string(),
        toolCalls: count.optional(),
        inputTokens: amount.optional(),
        outputTokens: amount.optional(),
        cost: amount.optional(),
        reason: reason.optional(),
      }),
    )
    .optional(),
});

/** The record of one phase entry and attempt: the single source of its type and its check. */
export const phaseRecordSchema = shape.superRefine((record, context) => {
  const message = causeIssue(record);
  if (message !== undefined) context.addIssue({ code: "custom", path: ["reason"], message });
});

/** The outcome and the cost of one stay in a phase. Absent members mean "no information", never zero. */
export type PhaseRecord = Readonly<z.infer<typeof shape>>;

/**
 * Checks a record that came from outside; members it does not know are kept.
 * @throws INVALID_RECORD
 */
export function parsePhaseRecord(value: unknown): PhaseRecord {
  const result = phaseRecordSchema.safeParse(value);
  if (result.success) return { ...(value as object), ...result.data };
  const [issue] = result.error.issues;
  const entry =
    typeof value === "object" && value !== null ? String((value as { readonly entry?: unknown }).entry) : typeof value;
  throw invalidRecord(entry, `${issue?.path.join(".") ?? ""}: ${issue?.message ?? "not a record"}`);
}
