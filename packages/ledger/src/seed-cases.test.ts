import { createRun, pipelinePhases, type Reason, reasons, type RunEvent } from "@phasekit/core";
import { isReason } from "@phasekit/core/adapter";
import { describe, expect, it } from "vitest";
import { classifyFailure } from "./failures/classify-failure.ts";
import { checkFailureReport } from "./failures/check-failure-report.ts";
import { failureKinds, reportSignature, type FailureScope, widenScope } from "./failures/failure-report.ts";
import { retryDelay } from "./failures/retry-delay.ts";
import { foldSubLoop, type SubLoopFold, subLoopRows } from "./records/sub-loops.ts";
import { summarizeRun } from "./summarize-run.ts";
import { terminalState } from "./terminal-state.ts";

/** The published systems speak of infrastructure and model; we name who it was. */
const blameOf = (reason: Reason): string => (reasons[reason].countsAgainstModel ? "model" : "infra");

function pipeline(work: (run: ReturnType<typeof start>) => void): readonly RunEvent[] {
  const events: RunEvent[] = [];
  const run = start();
  run.subscribe((step) => events.push(...step));
  for (const phase of ["database", "interface", "test", "realize"] as const) run.transition(phase);
  work(run);
  return events;
}
const start = () => createRun({ graph: pipelinePhases, id: "r", clock: () => 1000 });
const realize = (work: (run: ReturnType<typeof start>) => void) => summarizeRun(pipeline(work)).phases.at(-1)!;

describe("ledger.reason", () => {
  const stopped = (reason: Reason): string =>
    summarizeRun(
      pipeline((run) => {
        run.stop({ reason });
        run.end();
      }),
    ).phases.at(-1)?.reason ?? "";
  it.each([
    {
      name: "DNS lookup failure",
      reason: classifyFailure({ message: "getaddrinfo ENOTFOUND api.example.test" }).reason,
      expected: "connection_error",
      blame: "infra",
    },
    {
      name: "upstream error bodies beyond the cap",
      reason: stopped("upstream_unhealthy"),
      expected: "upstream_unhealthy",
      blame: "infra",
    },
    {
      name: "observation cap of a sub-loop latched",
      reason: stopped("aborted_cumulative_loop"),
      expected: "aborted_cumulative_loop",
      blame: "infra",
    },
    {
      name: "one signature repeated",
      reason: stopped("aborted_stagnation"),
      expected: "aborted_stagnation",
      blame: "infra",
    },
    {
      name: "one model call ran past its own limit",
      reason: classifyFailure({ name: "AutoBeTimeoutError" }).reason,
      expected: "timeout",
      blame: "model",
    },
    {
      name: "remaining quota at the floor",
      reason: stopped("rate_limit_mid_run"),
      expected: "rate_limit_mid_run",
      blame: "infra",
    },
    {
      name: "SDK connection error",
      reason: classifyFailure({ name: "APIConnectionError", message: "Connection error." }).reason,
      expected: "connection_error",
      blame: "infra",
    },
    {
      name: "socket reset in mid-request",
      reason: classifyFailure({ cause: { code: "ECONNRESET" } }).reason,
      expected: "connection_error",
      blame: "infra",
    },
    {
      name: "run-wide hard limit fired",
      reason: stopped("archive_timeout"),
      expected: "archive_timeout",
      blame: "infra",
    },
    {
      name: "argument validation retries used up",
      reason: classifyFailure({ code: "tool_argument_validation_exhausted" }).reason,
      expected: "validation_giveup",
      blame: "model",
    },
    {
      name: "no tool call after the extra prompts",
      reason: classifyFailure(new Error("The model did not call the tool")).reason,
      expected: "function_call_failed",
      blame: "model",
    },
    { name: "403", reason: classifyFailure({ status: 403 }).reason, expected: "rate_limit", blame: "infra" },
    { name: "429", reason: classifyFailure({ status: 429 }).reason, expected: "rate_limit", blame: "infra" },
    {
      name: "key limit",
      reason: classifyFailure("Key limit exceeded (weekly)").reason,
      expected: "rate_limit",
      blame: "infra",
    },
    { name: "operator stop", reason: stopped("interrupted"), expected: "interrupted", blame: "infra" },
    { name: "anything else", reason: classifyFailure(new Error("what?")).reason, expected: "unknown", blame: "model" },
  ])("$name → $expected, $blame", ({ reason, expected, blame }) => {
    expect(reason).toBe(expected);
    expect(isReason(reason) && blameOf(reason)).toBe(blame);
  });
});

describe("ledger.invariant, compile and two tiers", () => {
  it("operation failures after a clean compile are a counted predicate failure, and not a clean success", () => {
    const record = realize((run) => {
      for (let n = 0; n < 35; n += 1)
        run.record({ type: "operation.finished", name: `op${String(n)}`, outcome: "success" });
      run.record({ type: "operation.finished", name: "trash", outcome: "failure", why: "unresolved placeholder" });
      run.record({ type: "output.produced", counts: { functions: 35 } });
      run.record({ type: "check.finished", check: "compile", outcome: "success" });
      run.end();
    });
    expect(record).toMatchObject({
      success: true,
      cleanCompletion: false,
      predicateFailure: { kind: "realize_operation_failures", count: 1 },
      commodity: { functions: 35 },
    });
    expect(record.operationOutcomes?.[0]).toEqual({ name: "trash", outcome: "failure", why: "unresolved placeholder" });
    expect(record.operationOutcomes?.length).toBe(36);
  });

  it.each([
    {
      name: "all operations and a clean compile",
      failed: 0,
      compile: "success" as const,
      expected: { success: true, cleanCompletion: true },
    },
    {
      name: "all operations, compile failed",
      failed: 0,
      compile: "failure" as const,
      expected: { success: true, cleanCompletion: false, compile: { kind: "failure" } },
    },
  ])("$name", ({ failed, compile, expected }) => {
    const record = realize((run) => {
      run.record({ type: "operation.finished", name: "a", outcome: "success" });
      for (let n = 0; n < failed; n += 1) run.record({ type: "operation.finished", name: "b", outcome: "failure" });
      run.record({ type: "check.finished", check: "compile", outcome: compile });
      run.end();
    });
    expect(record).toMatchObject(expected);
  });

  it("a run without usable output is not a success", () => {
    const record = realize((run) => {
      run.record({ type: "operation.finished", name: "a", outcome: "failure" });
      run.end();
    });
    expect(record).toMatchObject({
      success: false,
      cleanCompletion: false,
      predicateFailure: { kind: "realize_operation_failures", count: 1 },
    });
  });

  it("a failed phase always carries a reason, a compile kind or a predicate kind", () => {
    const events: RunEvent[] = [];
    const run = start();
    run.subscribe((step) => events.push(...step));
    run.transition("database", { outcome: "failed" });
    expect(summarizeRun(events).phases[0]).toMatchObject({ success: false, predicateFailure: { kind: "unknown" } });
  });

  it("a named condition keeps its name and count", () => {
    const events: RunEvent[] = [];
    const run = start();
    run.subscribe((step) => events.push(...step));
    run.record({ type: "check.finished", check: "resolve", outcome: "failure", count: 4, gate: "interface_missed" });
    run.transition("database", { outcome: "failed", predicate: "interface_missed" });
    expect(summarizeRun(events).phases[0]).toMatchObject({
      success: false,
      predicateFailure: { kind: "interface_missed", count: 4 },
    });
  });

  it("a run that ends with a named condition has that condition as its failure", () => {
    const events: RunEvent[] = [];
    const run = start();
    run.subscribe((step) => events.push(...step));
    run.end({ predicate: "interface_missed" });
    expect(terminalState(events)).toMatchObject({ failure: "predicate:interface_missed" });
  });

  it.each([
    { outcome: "failure" as const, count: 7, expected: { kind: "failure", count: 7 } },
    { outcome: "exception" as const, count: undefined, expected: { kind: "exception" } },
  ])("compiler $outcome", ({ outcome, count, expected }) => {
    const record = realize((run) => {
      run.record({ type: "check.finished", check: "compile", outcome, ...(count !== undefined && { count }) });
      run.end();
    });
    expect(record.compile).toEqual(expected);
    expect(record.success).toBe(false);
  });
});

describe("ledger.subloops", () => {
  const rows = (events: readonly { readonly type: string; readonly at: number }[]) => {
    const loops = new Map<string, SubLoopFold>();
    for (const { type, at } of events) foldSubLoop(loops, { type, at });
    return subLoopRows(loops);
  };
  it("one row per event type with count and first-to-last time, costliest first", () => {
    expect(
      rows([
        { type: "validate_error", at: 0 },
        { type: "write", at: 100 },
        { type: "validate_error", at: 5000 },
        { type: "correct", at: 6000 },
        { type: "correct", at: 7000 },
      ]),
    ).toEqual([
      { type: "validate_error", eventCount: 2, elapsedMs: 5000 },
      { type: "correct", eventCount: 2, elapsedMs: 1000 },
      { type: "write", eventCount: 1, elapsedMs: 0 },
    ]);
  });
  it("equal elapsed time is ordered by count", () => {
    expect(
      rows([
        { type: "a", at: 0 },
        { type: "b", at: 0 },
        { type: "b", at: 0 },
      ]).map(({ type }) => type),
    ).toEqual(["b", "a"]);
  });
});

describe("retry", () => {
  it.each([
    { error: { error: { type: "server_error" } }, retry: true },
    { error: { cause: { code: "UND_ERR_SOCKET" } }, retry: true },
    { error: { code: "ECONNRESET" }, retry: true },
    { error: { code: "EPIPE" }, retry: true },
    { error: { code: "ETIMEDOUT" }, retry: true },
    { error: { cause: { code: "UND_ERR_CONNECT_TIMEOUT" } }, retry: true },
    { error: { status: 500 }, retry: true },
    { error: { status: 503 }, retry: true },
    { error: { status: 429 }, retry: true },
    { error: { status: 429, code: "insufficient_quota" }, retry: false },
    { error: { error: { type: "insufficient_quota" } }, retry: false },
    { error: { status: 403 }, retry: false },
    { error: { status: 400 }, retry: false },
    { error: { message: "terminated" }, retry: true },
    { error: new SyntaxError("Unexpected end of JSON input"), retry: true },
    { error: new Error("whatever"), retry: false },
  ])("$error → $retry", ({ error, retry }) => expect(classifyFailure(error).retry.retry).toBe(retry));

  it("delay doubles from four seconds up to sixty; jitter adds at most 80 percent", () => {
    expect([0, 1, 2, 3, 4, 5].map((n) => retryDelay(n))).toEqual([4000, 8000, 16_000, 32_000, 60_000, 60_000]);
    expect(retryDelay(0, { random: () => 0.999_999 })).toBeLessThanOrEqual(4000 * 1.8);
    expect(retryDelay(0, { random: () => 0 })).toBe(4000);
  });
  it("delay doubles from ten seconds and is capped at five minutes", () => {
    expect(
      [1, 2, 3, 4, 5, 6, 7].map((attempt) => retryDelay(attempt - 1, { baseMs: 10_000, maxMs: 300_000 }) / 1000),
    ).toEqual([10, 20, 40, 80, 160, 300, 300]);
  });
});

describe("failure", () => {
  it.each([
    { report: { kind: "made_up", explanation: "x" }, accepted: false },
    { report: { explanation: "x" }, accepted: false },
    { report: { kind: "environment" }, accepted: false },
    { report: { kind: "environment", explanation: "" }, accepted: false },
    { report: { kind: "environment", explanation: "  " }, accepted: false },
    { report: { kind: "environment", explanation: "disk full" }, accepted: true },
    { report: { kind: "external", explanation: "no access" }, accepted: true },
  ])("$report accepted: $accepted", ({ report, accepted }) =>
    expect(checkFailureReport({ id: "f1", ...report }).ok).toBe(accepted),
  );

  it("a report keeps the kind it was given", () => {
    const kinds = failureKinds.map((kind) => {
      const checked = checkFailureReport({ id: "f1", kind, explanation: "no access" });
      return checked.ok && checked.report.kind;
    });
    expect(kinds).toEqual(["transient", "story_invalid", "environment", "prerequisite", "external"]);
  });

  const given = (scope: FailureScope, stories: readonly string[], at = 0) =>
    widenScope(
      { kind: "environment", explanation: "disk full", scope },
      stories.map((story) => ({ story, at, kind: "environment", explanation: "disk full" })),
      { now: 1000 },
    );
  it.each([
    { scope: "attempt", expected: "story" },
    { scope: "story", expected: "epoch" },
    { scope: "epoch", expected: "system" },
    { scope: "system", expected: "system" },
  ] as const)("three distinct stories widen $scope to $expected", ({ scope, expected }) =>
    expect(given(scope, ["s1", "s2", "s3"])).toBe(expected),
  );
  it("two stories, one story three times, another cause or an old report do not widen", () => {
    expect(given("attempt", ["s1", "s2"])).toBe("attempt");
    expect(given("attempt", ["s1", "s1", "s1"])).toBe("attempt");
    expect(given("attempt", ["s1", "s2", "s3"], -1_800_000)).toBe("attempt");
    expect(
      widenScope(
        { kind: "prerequisite", explanation: "disk full", scope: "attempt" },
        ["a", "b", "c"].map((story) => ({ story, at: 0, kind: "environment" as const, explanation: "disk full" })),
        { now: 0 },
      ),
    ).toBe("attempt");
  });

  it("a different kind changes the signature; ids, times, paths, hashes and lines do not", () => {
    const signature = (explanation: string, kind: "environment" | "prerequisite" = "environment") =>
      reportSignature({ kind, explanation });
    expect(signature("connection refused")).not.toBe(signature("connection refused", "prerequisite"));
    expect(signature("cannot write /tmp/a/b.ts:12 at 2026-01-02T03:04:05Z (pid 123) commit 0a1b2c3d4e5f")).toBe(
      signature("cannot write /var/x/y.ts:99 at 2027-11-12T13:14:15.000Z (pid 77) commit f5e4d3c2b1a0"),
    );
    expect(signature("cannot write")).not.toBe(signature("cannot read"));
  });

  it("evidence is capped at ten entries and a signature is filled in", () => {
    const checked = checkFailureReport({
      id: "f",
      kind: "environment",
      explanation: "x".repeat(5000),
      evidence: Array.from({ length: 15 }, (_, n) => ({ text: `e${String(n)}` })),
    });
    expect(
      checked.ok && [
        checked.report.evidence.length,
        checked.report.explanation.length,
        checked.report.signature.length > 5,
      ],
    ).toEqual([10, 2000, true]);
  });

  it("a stored failure survives a JSON round trip", () => {
    const checked = checkFailureReport({
      id: "f",
      kind: "transient",
      explanation: "x",
      source: "coder",
      resolvedScope: "story",
      owner: "me",
      action: "retry",
      status: "triaged",
      evidence: [{ label: "log", text: "t" }],
      tags: ["a"],
      affected: ["s1"],
    });
    if (!checked.ok) throw new Error("not accepted");
    expect(checkFailureReport(JSON.parse(JSON.stringify(checked.report)))).toEqual(checked);
  });
});
