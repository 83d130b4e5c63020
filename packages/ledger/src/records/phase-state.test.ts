// What the published phase state says of each of its fields, statement by statement.
import {
  alert,
  createRun,
  definePolicy,
  pipelinePhases,
  type Reason,
  reasons,
  type RunEvent,
  type RunOptions,
} from "@phasekit/core";
import { manualClock } from "@phasekit/core/testing";
import { describe, expect, it } from "vitest";
import { type SummarizeOptions, summarizeRun } from "../summarize-run.ts";
import type { PhaseRecord } from "./phase-record.ts";

type Phase = keyof (typeof pipelinePhases)["phases"];
type Work = (run: ReturnType<typeof createRun<Phase>>, clock: ReturnType<typeof manualClock>) => void;

function recordOf(work: Work, options: RunOptions<Phase> = {}, reading: SummarizeOptions = {}): PhaseRecord {
  const clock = manualClock();
  const run = createRun<Phase>({ graph: pipelinePhases, id: "r", clock: clock.now, ...options });
  const events: RunEvent[] = [];
  run.subscribe((step) => events.push(...step));
  work(run, clock);
  run.end();
  const record = summarizeRun(events, reading).phases.at(-1);
  if (record === undefined) throw new Error("no record");
  return record;
}

const operation = (name: string, outcome: "success" | "failure", why?: string) =>
  ({ type: "operation.finished", name, outcome, ...(why !== undefined && { why }) }) as const;
const compiled = (outcome: "success" | "failure" | "exception", count?: number) =>
  ({ type: "check.finished", check: "compile", outcome, ...(count !== undefined && { count }) }) as const;

interface Statement {
  readonly says: string;
  readonly work: Work;
  readonly reading?: SummarizeOptions;
  /** What the record must hold, and what it must not. */
  readonly holds?: Partial<PhaseRecord>;
  readonly lacks?: readonly (keyof PhaseRecord)[];
}

const statements: Readonly<Record<string, readonly Statement[]>> = {
  cleanCompletion: [
    {
      says: "true only when it compiled and no operation failed",
      work: (run) => {
        run.record(operation("a", "success"));
        run.record(compiled("success"));
      },
      holds: { success: true, cleanCompletion: true },
    },
    {
      says: "false when one of many failed, which is still a success",
      work: (run) => {
        run.record(operation("a", "success"));
        run.record(operation("b", "failure"));
        run.record(compiled("success"));
      },
      holds: { success: true, cleanCompletion: false },
    },
    {
      says: "false when the compiler crashed",
      work: (run) => {
        run.record(operation("a", "success"));
        run.record(compiled("exception"));
      },
      holds: { success: true, cleanCompletion: false },
    },
    {
      says: "absent without a compile result, and false if an operation failed",
      work: (run) => {
        run.record(operation("a", "success"));
      },
      holds: { success: true },
      lacks: ["cleanCompletion"],
    },
    {
      says: "absent where it is all or nothing",
      work: (run) => void run.record(compiled("success")),
      lacks: ["cleanCompletion"],
    },
  ],
  compile: [
    {
      says: "diagnostics are a failure with a count",
      work: (run) => void run.record(compiled("failure", 7)),
      holds: { success: false, compile: { kind: "failure", count: 7 } },
      lacks: ["reason", "predicateFailure"],
    },
    {
      says: "a compiler that crashes is an exception",
      work: (run) => void run.record(compiled("exception")),
      holds: { success: false, compile: { kind: "exception" } },
      lacks: ["reason", "predicateFailure"],
    },
    {
      says: "absent when the phase succeeded in the end",
      work: (run) => {
        run.record(compiled("failure", 7));
        run.record(compiled("success"));
      },
      holds: { success: true },
      lacks: ["compile"],
    },
  ],
  costSignals: [
    {
      says: "validation failures per attempt, cached share of the input, and the raw counters",
      work: (run) => {
        for (let n = 0; n < 4; n += 1)
          run.record({ type: "model.answered", usage: { inputTokens: 100, cachedInputTokens: 25 } });
        run.record({ type: "validation.failed", path: "$input.a" });
      },
      holds: { costSignals: { cacheHitRate: 0.25, failureRate: 0.25, inputTokensTotal: 400, inputTokensCached: 100 } },
    },
    {
      says: "a provider that told of no hits has a rate of 0",
      work: (run) => void run.record({ type: "model.answered", usage: { inputTokens: 100, cachedInputTokens: 0 } }),
      holds: { costSignals: { cacheHitRate: 0, failureRate: 0, inputTokensTotal: 100, inputTokensCached: 0 } },
    },
    {
      says: "a provider that says nothing about its cache has no rate",
      work: (run) => void run.record({ type: "model.answered", usage: { inputTokens: 100 } }),
      holds: { costSignals: { failureRate: 0, inputTokensTotal: 100 } },
    },
    {
      says: "a provider that says nothing about its cache has a rate of 0 with assumeUncached",
      reading: { assumeUncached: true },
      work: (run) => void run.record({ type: "model.answered", usage: { inputTokens: 100 } }),
      holds: { costSignals: { cacheHitRate: 0, failureRate: 0, inputTokensTotal: 100, inputTokensCached: 0 } },
    },
    {
      says: "a provider that names no tokens has no rate with assumeUncached either",
      reading: { assumeUncached: true },
      work: (run) => void run.record({ type: "model.answered" }),
      holds: { costSignals: { failureRate: 0 } },
    },
    {
      says: "absent without attempts",
      work: (run) => void run.record({ type: "validation.failed", path: "a" }),
      lacks: ["costSignals"],
    },
  ],
  elapsed: [
    {
      says: "counted in a phase that failed too",
      work: (run, clock) => {
        clock.advance(1234);
        run.end({ reason: "rate_limit" });
      },
      holds: { success: false, elapsed: 1234 },
    },
  ],
  error: [
    {
      says: "what was thrown, also when nobody knows what it is",
      work: (run) =>
        run.end({
          reason: "unknown",
          error: Object.assign(new TypeError("section 3 was never written"), { code: "E3" }),
        }),
      holds: { reason: "unknown", error: { name: "TypeError", message: "section 3 was never written", code: "E3" } },
    },
    {
      says: "absent when the phase succeeded, whatever failed on the way",
      work: (run) => {
        run.record({ type: "model.failed", message: "503" });
        run.record({ type: "model.answered" });
      },
      holds: { success: true },
      lacks: ["error"],
    },
  ],
  operationOutcomes: [
    {
      says: "one entry per attempt, failures with their reason",
      work: (run) => {
        run.record(operation("todos.trash", "failure", "unresolved placeholder"));
        run.record(operation("todos.trash", "success"));
      },
      holds: {
        operationOutcomes: [
          { name: "todos.trash", outcome: "failure", why: "unresolved placeholder" },
          { name: "todos.trash", outcome: "success" },
        ],
      },
    },
    { says: "absent where nobody told of single operations", work: () => undefined, lacks: ["operationOutcomes"] },
  ],
  predicateFailure: [
    {
      says: "a run that ends with a condition that is false fails in its last phase, and has no reason",
      work: (run) => void run.end({ predicate: "interface_missed" }),
      holds: { success: false, endReason: "done_unverified", predicateFailure: { kind: "interface_missed" } },
      lacks: ["reason", "compile"],
    },
    {
      says: "a gate that failed in the last phase is such a condition, with its count",
      work: (run) => {
        run.record({
          type: "check.finished",
          check: "resolve",
          outcome: "failure",
          count: 4,
          gate: "interface_missed",
        });
        run.record({ type: "check.finished", check: "other", outcome: "success", gate: "other" });
      },
      holds: { success: false, predicateFailure: { kind: "interface_missed", count: 4 } },
      lacks: ["reason"],
    },
    {
      says: "absent when a reason says why the phase failed",
      work: (run) => {
        run.record({ type: "check.finished", check: "resolve", outcome: "failure", gate: "interface_missed" });
        run.end({ reason: "timeout", predicate: "interface_missed" });
      },
      holds: { success: false, reason: "timeout" },
      lacks: ["predicateFailure"],
    },
    {
      says: "absent when the compilation says why the phase failed",
      work: (run) => {
        run.record(compiled("failure", 3));
        run.end({ predicate: "interface_missed" });
      },
      holds: { success: false, compile: { kind: "failure", count: 3 } },
      lacks: ["predicateFailure"],
    },
    {
      says: "absent when something was thrown",
      work: (run) => run.end({ reason: "connection_error", error: new Error("ECONNRESET") }),
      holds: { success: false, reason: "connection_error" },
      lacks: ["predicateFailure", "compile"],
    },
  ],
  resumability: [
    { says: "absent in a phase that nobody tried before", work: () => undefined, lacks: ["resumability"] },
  ],
  runtime: [
    {
      says: "the outcome of running what was made",
      work: (run) =>
        void run.record({
          type: "check.finished",
          check: "runtime",
          outcome: "failure",
          passed: 41,
          failed: 2,
          first: "POST /todos: 500",
        }),
      holds: { runtime: { outcome: "failure", passed: 41, failed: 2, first: "POST /todos: 500" } },
    },
    { says: "absent when nothing was run", work: (run) => void run.record(compiled("success")), lacks: ["runtime"] },
  ],
  subLoops: [
    {
      says: "events that are no model calls count as well, the costliest first",
      work: (run, clock) => {
        run.record({ type: "validation.failed", path: "a" });
        run.record(operation("x", "success"));
        clock.advance(500);
        run.record(operation("y", "success"));
        clock.advance(400);
        run.record({ type: "validation.failed", path: "a" });
      },
      holds: {
        subLoops: [
          { type: "validation.failed", eventCount: 2, elapsedMs: 900 },
          { type: "operation.finished", eventCount: 2, elapsedMs: 500 },
        ],
      },
    },
    {
      says: "absent in a phase in which nothing happened but questions, commands and time",
      work: (run, clock) => {
        run.beforeTurn();
        clock.advance(10);
        run.waive("tests", { why: "none here" });
        run.beforeFinish();
      },
      lacks: ["subLoops"],
    },
    {
      says: "a question of a named loop counts in it",
      work: (run) => {
        run.record({ type: "turn.started", loop: "correct" });
        run.record({ type: "validation.failed", path: "a", loop: "correct" });
      },
      holds: { subLoops: [{ type: "correct", eventCount: 2, elapsedMs: 0 }] },
    },
  ],
  topValidationErrors: [
    {
      says: "pairs of path and expectation, the most frequent first, and few of them",
      work: (run) => {
        for (let n = 0; n < 9; n += 1)
          for (let times = 0; times <= n; times += 1)
            run.record({ type: "validation.failed", path: `$input.${String(n)}`, expected: "string" });
        run.record({ type: "validation.failed", path: "$input.8", expected: "number" });
      },
      holds: {
        topValidationErrors: [8, 7, 6, 5, 4].map((n) => ({
          path: `$input.${String(n)}`,
          expected: "string",
          count: n + 1,
        })),
      },
    },
    { says: "absent without any", work: () => undefined, lacks: ["topValidationErrors"] },
  ],
};

describe.each(Object.entries(statements))("%s", (_field, said) => {
  it.each(said)("$says", ({ work, reading, holds = {}, lacks = [] }) => {
    const record = recordOf(work, {}, reading);
    for (const [field, value] of Object.entries(holds))
      expect(record[field as keyof PhaseRecord], field).toEqual(value);
    for (const field of lacks) expect(record).not.toHaveProperty(field);
  });
});

describe("resumability", () => {
  /** What the second attempt knows of a first one that did these things and then was no more. */
  const leftBy = (work: Work): PhaseRecord["resumability"] =>
    recordOf((run, clock) => {
      work(run, clock);
      run.resume();
    }).resumability;

  it("an attempt that completed a turn can be taken up behind it", () => {
    const left = leftBy((run, clock) => {
      run.record({ type: "turn.started" });
      clock.advance(70);
      run.record({ type: "tool.finished", tool: "Read", outcome: "ok" });
      run.record({ type: "turn.started" });
      run.end({ reason: "interrupted" });
    });
    expect(left).toMatchObject({
      available: true,
      elapsed: 70,
      turns: 2,
      lastEvent: "run.finished",
      reason: "interrupted",
      checkpointSeq: 3,
    });
  });

  it("one that began no turn leaves nothing to take up", () => {
    expect(leftBy((run) => run.end({ reason: "interrupted" }))).toMatchObject({
      available: false,
      turns: 0,
      checkpointSeq: 0,
    });
  });
});

describe("lastStagnation", () => {
  const detector = definePolicy({
    name: "detector",
    decide: {
      "validation.failed": () =>
        alert({ kind: "stagnation", signature: "operation|process|target:|errors:1nawc4g", count: 6 }),
    },
  });
  const stopped = (reason: Reason): PhaseRecord =>
    recordOf(
      (run) => {
        run.record({ type: "validation.failed", path: "a", loop: "operation" });
        run.stop({ reason });
        run.end();
      },
      { policies: [detector] },
    );

  it.each(["aborted_stagnation", "aborted_cumulative_loop"] as const)(
    "%s: the kind of event that repeated, its signature and how often",
    (reason) => {
      expect(stopped(reason)).toMatchObject({
        reason,
        lastStagnation: { type: "operation", signature: "operation|process|target:|errors:1nawc4g", count: 6 },
      });
    },
  );

  it.each(["rate_limit", "timeout", "interrupted", "archive_timeout"] as const)(
    "absent when the cause was another: %s",
    (reason) => {
      expect(stopped(reason)).not.toHaveProperty("lastStagnation");
    },
  );
});

describe("reason", () => {
  const published: Readonly<Record<string, readonly Reason[]>> = {
    "the model": ["timeout", "function_call_failed", "validation_giveup", "unknown"],
    "nobody's model": [
      "aborted_stagnation",
      "aborted_cumulative_loop",
      "interrupted",
      "archive_timeout",
      "rate_limit",
      "rate_limit_mid_run",
      "upstream_unhealthy",
      "connection_error",
    ],
  };
  it.each(Object.entries(published).flatMap(([blamed, codes]) => codes.map((reason) => ({ reason, blamed }))))(
    "$reason counts against $blamed",
    ({ reason, blamed }) => {
      const record = recordOf((run) => run.end({ reason }));
      expect(record).toMatchObject({ success: false, reason, countsAgainstModel: blamed === "the model" });
      expect(Object.keys(reasons)).toContain(reason);
      expect(reasons[reason].countsAgainstModel).toBe(blamed === "the model");
    },
  );

  it("absent when the phase succeeded", () => {
    expect(recordOf((run) => run.end())).not.toHaveProperty("reason");
  });
});
