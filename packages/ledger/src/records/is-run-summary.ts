import { isReason, type ValueCheck, valueChecks } from "@phasekit/core/adapter";
import type { RunSummary } from "../summarize-run.ts";
import type { PhaseRecord } from "./phase-record.ts";

const { fields, flag, list, map, number, oneOf, optional, text } = valueChecks;

/** The most entries of a run whose summary is read back. */
const MAX_ENTRIES = 10_000;

type Member<K extends keyof PhaseRecord> = NonNullable<PhaseRecord[K]>;
type Item<T> = T extends readonly (infer TItem)[] ? TItem : never;
type Aggregate = PhaseRecord["aggregates"]["total"];

const version = (value: unknown): value is 1 => value === 1;

const usage = fields<Aggregate["usage"]>({
  inputTokens: optional(number),
  cachedInputTokens: optional(number),
  cacheWriteTokens: optional(number),
  outputTokens: optional(number),
  reasoningTokens: optional(number),
  cost: optional(number),
  modelCalls: number,
  unknownCalls: number,
  estimatedCalls: number,
  unpricedCalls: optional(number),
});

const aggregate = fields<Aggregate>({
  usage,
  metric: fields<Aggregate["metric"]>({
    attempts: number,
    modelFailures: number,
    validationFailures: number,
    turns: number,
    iterations: number,
    toolCalls: number,
    toolErrors: number,
    filesRead: optional(number),
  }),
});

const error = fields<Member<"error">>({
  name: optional(text),
  message: text,
  code: optional(text),
  status: optional(number),
});

const resumability = fields<Member<"resumability">>({
  available: flag,
  at: number,
  elapsed: number,
  events: number,
  turns: number,
  lastEvent: text,
  reason: optional(isReason),
  lostCalls: optional(list(text)),
  checkpointSeq: number,
});

const evidence = fields<Item<Member<"evidence">>>({
  gate: text,
  verdict: oneOf<Item<Member<"evidence">>["verdict"]>({
    pass: true,
    concerns: true,
    weak: true,
    met: true,
    doubt: true,
    "not-needed": true,
    unavailable: true,
    fail: true,
    waived: true,
  }),
  text: optional(text),
});

const alert = fields<Item<Member<"alerts">>>({
  policy: text,
  kind: text,
  signature: text,
  severity: oneOf<Item<Member<"alerts">>["severity"]>({ notice: true, warning: true, critical: true }),
  count: number,
  times: number,
});

const child = fields<Item<Member<"children">>>({
  run: text,
  toolCalls: optional(number),
  inputTokens: optional(number),
  outputTokens: optional(number),
  cost: optional(number),
  reason: optional(isReason),
});

const operation = fields<Item<Member<"operationOutcomes">>>({
  name: text,
  outcome: oneOf<Item<Member<"operationOutcomes">>["outcome"]>({ success: true, failure: true }),
  why: optional(text),
});

const record = fields<PhaseRecord>({
  v: version,
  run: text,
  entry: text,
  phase: text,
  attempt: number,
  startedAt: number,
  endedAt: number,
  firstSeq: number,
  lastSeq: number,
  closedBy: oneOf<PhaseRecord["closedBy"]>({
    transition: true,
    rollback: true,
    finish: true,
    resume: true,
    "end-of-log": true,
  }),
  next: optional(text),
  success: flag,
  cleanCompletion: optional(flag),
  reason: optional(isReason),
  endReason: isReason,
  blame: oneOf<PhaseRecord["blame"]>({
    none: true,
    agent: true,
    provider: true,
    host: true,
    user: true,
    policy: true,
  }),
  countsAgainstModel: flag,
  compile: optional(
    fields<Member<"compile">>({
      kind: oneOf<Member<"compile">["kind"]>({ failure: true, exception: true }),
      count: optional(number),
      first: optional(text),
    }),
  ),
  predicateFailure: optional(fields<Member<"predicateFailure">>({ kind: text, count: optional(number) })),
  error: optional(error),
  lastStagnation: optional(
    fields<Member<"lastStagnation">>({ type: text, kind: text, signature: text, count: number }),
  ),
  elapsed: number,
  commodity: map(number),
  aggregates: fields<PhaseRecord["aggregates"]>({ total: aggregate, loops: optional(map(aggregate)) }),
  costSignals: optional(
    fields<Member<"costSignals">>({
      cacheHitRate: optional(number),
      failureRate: number,
      inputTokensTotal: optional(number),
      inputTokensCached: optional(number),
    }),
  ),
  operationOutcomes: optional(list(operation)),
  operationsOmitted: optional(number),
  runtime: optional(
    fields<Member<"runtime">>({
      outcome: oneOf<Member<"runtime">["outcome"]>({ success: true, failure: true, exception: true }),
      passed: optional(number),
      failed: optional(number),
      first: optional(text),
    }),
  ),
  subLoops: optional(list(fields<Item<Member<"subLoops">>>({ type: text, eventCount: number, elapsedMs: number }))),
  topValidationErrors: optional(
    list(fields<Item<Member<"topValidationErrors">>>({ path: text, expected: optional(text), count: number })),
  ),
  resumability: optional(resumability),
  evidence: optional(list(evidence)),
  alerts: optional(list(alert)),
  nudges: optional(
    fields<Member<"nudges">>({
      sent: number,
      applied: number,
      helped: number,
      ignored: number,
      lost: number,
      dropped: number,
    }),
  ),
  wasted: optional(fields<Member<"wasted">>({ calls: number, tokens: optional(number) })),
  refusals: optional(fields<Member<"refusals">>({ calls: number, finishes: number })),
  tests: optional(
    fields<Member<"tests">>({
      verdict: oneOf<Member<"tests">["verdict"]>({ pass: true, fail: true, unknown: true }),
      passed: optional(number),
      failed: optional(number),
      editsSince: number,
    }),
  ),
  diff: optional(
    fields<Member<"diff">>({
      filesChanged: optional(number),
      linesAdded: optional(number),
      linesRemoved: optional(number),
      commits: optional(number),
    }),
  ),
  children: optional(list(child)),
});

/**
 * Checks a summary that is read back from a file. `phaseRecordSchema` would do for the records, but loading its library
 * takes longer than reading a hundred summaries.
 */
export const isRunSummary: ValueCheck<RunSummary> = fields<RunSummary>({
  v: version,
  run: text,
  state: oneOf<RunSummary["state"]>({
    running: true,
    success: true,
    clean: true,
    partial: true,
    failed: true,
    stalled: true,
    interrupted: true,
    "timed-out": true,
  }),
  reason: optional(isReason),
  verified: optional(flag),
  evidence: optional(
    fields<NonNullable<RunSummary["evidence"]>>({
      grade: oneOf<NonNullable<RunSummary["evidence"]>["grade"]>({
        proven: true,
        supported: true,
        weak: true,
        claimed: true,
        "not-needed": true,
      }),
      why: text,
    }),
  ),
  phase: text,
  attempt: number,
  graph: optional(text),
  mode: oneOf<RunSummary["mode"]>({ observe: true, nudge: true, gate: true }),
  task: optional(
    fields<NonNullable<RunSummary["task"]>>({ id: optional(text), kind: optional(text), text: optional(text) }),
  ),
  item: optional(
    fields<NonNullable<RunSummary["item"]>>({ id: text, phase: optional(text), version: optional(number) }),
  ),
  parent: optional(
    fields<NonNullable<RunSummary["parent"]>>({ run: text, call: optional(text), depth: optional(number) }),
  ),
  folder: optional(text),
  startedAt: number,
  updatedAt: number,
  seq: number,
  elapsed: number,
  usage,
  phases: list(record, MAX_ENTRIES),
});
