import {
  alert,
  budget,
  codingPhases,
  createRun,
  definePolicy,
  type NewEvent,
  nudge,
  type Reason,
  reasons,
  replayRun,
  type Run,
  type RunEvent,
  type RunOptions,
} from "@phasekit/core";
import { manualClock } from "@phasekit/core/testing";
import { describe, expect, it } from "vitest";
import { explainReason, explainRun, whyTool } from "./story/explain-run.ts";
import { parsePhaseRecord, phaseRecordSchema } from "./records/phase-record.ts";
import { createMemoryStore } from "./stores/memory-store.ts";
import { createSummary, summarizeRun } from "./summarize-run.ts";
import { terminalState } from "./terminal-state.ts";

type Phase = keyof (typeof codingPhases)["phases"];

function record(
  work: (run: Run<Phase>, clock: ReturnType<typeof manualClock>) => void,
  options: RunOptions<Phase> = {},
): readonly RunEvent[] {
  const clock = manualClock();
  const run = createRun<Phase>({ graph: codingPhases, id: "r", clock: clock.now, ...options });
  const events: RunEvent[] = [];
  run.subscribe((step) => events.push(...step));
  work(run, clock);
  return events;
}

const last = (events: readonly RunEvent[]) => summarizeRun(events).phases.at(-1)!;

/** A run that ends with each reason, as a host would bring it about. */
const bringAbout: Readonly<Partial<Record<Reason, (run: Run<Phase>) => void>>> = {
  done: (run) => run.end(),
  advanced: (run) => void run.transition("acting", { reason: "advanced" }),
  skipped: (run) => void run.transition("acting", { reason: "skipped", outcome: "abandoned" }),
  rolled_back: (run) => {
    run.transition("acting");
    run.rollback();
  },
  suspended: (run) => {
    run.suspend();
    run.end();
  },
};

describe("every reason", () => {
  it.each(Object.keys(reasons) as Reason[])("%s: a run that ended so has a record that says so", (reason) => {
    const events = record((run) => (bringAbout[reason] ?? (() => run.end({ reason, error: new Error("why") })))(run));
    const closed = summarizeRun(events).phases.find(({ endReason }) => endReason === reason);
    expect(closed).toBeDefined();
    const succeeds = ["done", "done_unverified", "advanced", "asked"].includes(reason);
    expect(closed?.success).toBe(succeeds);
    expect(closed?.reason).toBe(succeeds ? undefined : reason);
  });

  it("tells the three time limits apart", () => {
    const failure = (reason: Reason) => terminalState(record((run) => void run.end({ reason })));
    expect(["timeout", "phase_timeout", "archive_timeout"].map((reason) => failure(reason as Reason))).toEqual([
      { state: "timed-out", failure: "timeout" },
      { state: "timed-out", failure: "phase_timeout" },
      { state: "timed-out", failure: "archive_timeout" },
    ]);
    expect(
      new Set(["timeout", "phase_timeout", "archive_timeout"].map((reason) => explainReason(reason as Reason))).size,
    ).toBe(3);
  });

  it("is explained in two sentences or more", () => {
    for (const reason of Object.keys(reasons) as Reason[])
      expect(explainReason(reason).split(". ").length, reason).toBeGreaterThanOrEqual(2);
    expect(explainReason("aborted_stagnation").replaceAll(". ", ".\n")).toMatchInlineSnapshot(`
      "The same failure came back until a breaker opened.
      Caused by the policy.
      See \`lastStagnation\`: the same failure came back; change the approach, not the budget.
      It is resumed only with \`reopen: true\`."
    `);
  });
});

describe("the fields of a record", () => {
  it("counts a commodity with a name of Object.prototype", () => {
    const counts = { constructor: 3, toString: 2 };
    const told = last(
      record((run) => {
        run.record({ type: "output.produced", counts });
        run.end();
      }),
    );
    expect(told.commodity).toEqual(counts);
  });

  it("adds up reported usage, and leaves out unreported usage", () => {
    const told = last(
      record((run, clock) => {
        run.record({ type: "turn.started" });
        clock.advance(100);
        run.record({
          type: "model.answered",
          usage: { inputTokens: 1000, cachedInputTokens: 250, outputTokens: 50, cost: 0.01 },
        });
        run.record({ type: "tool.finished", tool: "Read", outcome: "ok", input: { path: "a" }, output: "x" });
        run.record({ type: "turn.started" });
        run.record({ type: "model.answered" });
        run.record({ type: "validation.failed", path: "$input.a", expected: "string".repeat(100) });
        run.record({ type: "tool.finished", tool: "Read", outcome: "error", input: { path: "b" } });
        run.record({ type: "output.produced", counts: { documents: 3 } });
        run.record({ type: "output.produced", counts: { documents: 2, actors: 1 } });
        run.record({ type: "workspace.observed", filesChanged: 2, linesAdded: 10 });
        clock.advance(400);
        run.end();
      }),
    );
    expect(told).toMatchObject({
      elapsed: 500,
      commodity: { documents: 5, actors: 1 },
      aggregates: {
        total: {
          usage: {
            inputTokens: 1000,
            cachedInputTokens: 250,
            outputTokens: 50,
            cost: 0.01,
            modelCalls: 2,
            unknownCalls: 1,
          },
          metric: { attempts: 2, turns: 2, iterations: 2, toolCalls: 2, toolErrors: 1, validationFailures: 1 },
        },
      },
      costSignals: { cacheHitRate: 0.25, failureRate: 0.5, inputTokensTotal: 1000, inputTokensCached: 250 },
      wasted: { calls: 1 },
      diff: { filesChanged: 2, linesAdded: 10 },
    });
    expect(told.topValidationErrors?.[0]?.expected?.length).toBe(200);
    expect(told.wasted).not.toHaveProperty("tokens");
    const silent = last(record((run) => void run.end()));
    for (const field of [
      "costSignals",
      "error",
      "compile",
      "predicateFailure",
      "lastStagnation",
      "operationOutcomes",
      "cleanCompletion",
      "runtime",
      "resumability",
      "topValidationErrors",
      "reason",
      "wasted",
      "tests",
      "diff",
      "nudges",
      "alerts",
    ])
      expect(silent).not.toHaveProperty(field);
    expect(silent.aggregates.total.usage).toEqual({ modelCalls: 0, unknownCalls: 0, estimatedCalls: 0 });
  });

  it.each([
    { what: "tests after an edit", edits: true, calls: undefined },
    { what: "tests with nothing changed", edits: false, calls: 1 },
  ])("$what that tell the same: wasted calls $calls", ({ edits, calls }) => {
    const told = last(
      record((run) => {
        const test = {
          type: "tool.finished",
          tool: "bash",
          outcome: "ok",
          meaning: { activity: "test", tests: { verdict: "pass" } },
        } as const;
        run.record(test);
        if (edits)
          run.record({
            type: "tool.finished",
            tool: "Edit",
            outcome: "ok",
            meaning: { activity: "edit", mutates: true },
          });
        run.record({ ...test, meaning: { ...test.meaning, moved: false } });
        run.end();
      }),
    );
    expect(told.wasted?.calls).toBe(calls);
  });

  it("unknown usage is absent, never zero", () => {
    const told = last(
      record((run) => {
        run.record({ type: "model.answered" });
        run.end();
      }),
    );
    expect(told.costSignals).toEqual({ failureRate: 0 });
    expect(told.aggregates.total.usage).not.toHaveProperty("inputTokens");
  });

  it("keeps at most one kilobyte of an error, on a character's border", () => {
    const told = last(record((run) => void run.end({ error: new Error("ü💡".repeat(2000)) })));
    expect(Buffer.byteLength(told.error?.message ?? "")).toBeLessThanOrEqual(1024);
    expect(Buffer.byteLength(told.error?.message ?? "")).toBeGreaterThan(1000);
    expect(told.error?.message).not.toMatch(/[\ud800-\udbff]$/);
  });

  it("shows the loop behind a stop for stagnation", () => {
    const detector = definePolicy({
      name: "detector",
      decide: {
        "validation.failed": () =>
          alert({ kind: "stagnation", signature: "operation|process|target:|errors:h1", count: 6 }),
      },
    });
    const told = last(
      record(
        (run) => {
          run.record({ type: "validation.failed", path: "a", loop: "operation" });
          run.stop({ reason: "aborted_stagnation" });
          run.end();
        },
        { policies: [detector] },
      ),
    );
    expect(told).toMatchObject({
      success: false,
      reason: "aborted_stagnation",
      blame: "policy",
      countsAgainstModel: false,
      lastStagnation: { kind: "stagnation", signature: "operation|process|target:|errors:h1", count: 6 },
      alerts: [{ policy: "detector", times: 1 }],
    });
    expect(told.lastStagnation?.type).toBe("operation");
  });

  it("an alert that did not stop the run is not stagnation", () => {
    const detector = definePolicy({
      name: "detector",
      decide: { "turn.started": () => alert({ kind: "loop", signature: "x", count: 3 }) },
    });
    const told = last(
      record(
        (run) => {
          run.record({ type: "turn.started" });
          run.end();
        },
        { policies: [detector] },
      ),
    );
    expect(told).not.toHaveProperty("lastStagnation");
    expect(told.alerts?.length).toBe(1);
  });

  it("tells tests at the end, and edits since", () => {
    const told = last(
      record((run) => {
        run.record({
          type: "tool.finished",
          tool: "t",
          outcome: "ok",
          meaning: { activity: "test", tests: { verdict: "pass", passed: 3 } },
        });
        run.record({ type: "tool.finished", tool: "e", outcome: "ok", meaning: { activity: "edit", mutates: true } });
        run.end();
      }),
    );
    expect(told.tests).toEqual({ verdict: "pass", passed: 3, editsSince: 1 });
  });

  it("groups usage and calls per loop", () => {
    const told = last(
      record((run, clock) => {
        run.record({ type: "model.answered", loop: "write", usage: { inputTokens: 5 } });
        clock.advance(10);
        run.record({ type: "validation.failed", loop: "correct", path: "a" });
        clock.advance(50);
        run.record({ type: "validation.failed", loop: "correct", path: "a" });
        run.end();
      }),
    );
    expect(told.subLoops?.[0]).toEqual({ type: "correct", eventCount: 2, elapsedMs: 50 });
    expect(told.aggregates.loops).toMatchObject({
      write: { usage: { inputTokens: 5 } },
      correct: { metric: { validationFailures: 2 } },
    });
    expect(told.topValidationErrors).toEqual([{ path: "a", count: 2 }]);
  });

  it("does not charge suspended time", () => {
    const told = last(
      record((run, clock) => {
        clock.advance(100);
        run.suspend();
        clock.advance(10_000);
        run.resume();
        clock.advance(50);
        run.end();
      }),
    );
    expect(told.elapsed).toBe(150);
  });
});

describe("entries and attempts", () => {
  const steps: readonly ((run: Run<Phase>) => unknown)[] = [
    (run) => run.record({ type: "turn.started" }),
    (run) => run.record({ type: "tool.requested", tool: "Read", call: "c1" }),
    (run) => run.transition("acting"),
    (run) => run.transition("verifying", { outcome: "failed", reason: "timeout" }),
    (run) => run.rollback(),
    (run) => run.end({ reason: "interrupted" }),
    (run) => run.resume(),
    (run) => run.record({ type: "turn.started" }),
    (run) => run.transition("verifying"),
    (run) => run.end(),
  ];
  const log = record((run) => {
    for (const step of steps) step(run);
  });

  it("closes each entry of each attempt exactly once", () => {
    const { phases } = summarizeRun(log);
    expect(
      phases.map(
        ({ entry, attempt, closedBy, success }) =>
          `${entry}/${String(attempt)} ${closedBy} ${success ? "ok" : "failed"}`,
      ),
    ).toMatchInlineSnapshot(`
      [
        "exploring#1/1 transition ok",
        "acting#1/1 transition failed",
        "verifying#1/1 rollback failed",
        "acting#2/1 finish failed",
        "acting#2/2 transition ok",
        "verifying#2/2 finish ok",
      ]
    `);
    expect(new Set(phases.map(({ entry, attempt }) => `${entry}/${String(attempt)}`)).size).toBe(phases.length);
  });

  it("tells at the start of an attempt what the one before left", () => {
    expect(summarizeRun(log).phases[4]?.resumability).toMatchObject({
      available: true,
      reason: "interrupted",
      lastEvent: "run.finished",
      lostCalls: ["Read (c1)"],
    });
  });

  it("reads a log that just stops as interrupted, at any point", () => {
    for (let cut = 1; cut < log.length; cut += 1) {
      const summary = summarizeRun(log.slice(0, cut));
      for (const closed of summary.phases) expect(phaseRecordSchema.safeParse(closed).success).toBe(true);
      if (log[cut - 1]?.type !== "run.finished")
        expect(summary.phases.at(-1)).toMatchObject({ closedBy: "end-of-log", reason: "interrupted" });
      expect(summarizeRun(log.slice(0, cut), { alive: true }).state).toBe(
        log[cut - 1]?.type === "run.finished" ? "interrupted" : "running",
      );
    }
  });

  it("a crash without a terminal event, resumed, has no reason of its own", () => {
    const crashed = log.slice(0, 3);
    const { run } = replayRun<Phase>(crashed, { graph: codingPhases });
    const rest: RunEvent[] = [];
    run.subscribe((step) => rest.push(...step));
    run.resume();
    run.end();
    const [before, after] = summarizeRun([...crashed, ...rest]).phases;
    expect(before).toMatchObject({ attempt: 1, closedBy: "resume", reason: "interrupted" });
    expect(after).toMatchObject({ attempt: 2, success: true });
    expect(after?.resumability).toMatchObject({ available: true });
    expect(after?.resumability).not.toHaveProperty("reason");
  });

  it("gives the same result fed in one call, one by one, asked in between, or read back from JSON", () => {
    const fed = createSummary();
    for (const event of log) {
      fed.add(event);
      fed.get();
    }
    const whole = JSON.stringify(summarizeRun(log));
    expect(JSON.stringify(fed.get())).toBe(whole);
    expect(JSON.stringify(summarizeRun(JSON.parse(JSON.stringify(log)) as RunEvent[]))).toBe(whole);
  });

  it("stays small however much happens", () => {
    const events = record((run) => {
      for (let n = 0; n < 3000; n += 1) {
        run.record({
          type: "validation.failed",
          path: `$.${"x".repeat(300)}${String(n)}`,
          expected: "y".repeat(3000),
          loop: `loop-${String(n)}`,
        });
        run.record({
          type: "operation.finished",
          name: `operation-${String(n)}`,
          outcome: n % 2 === 0 ? "failure" : "success",
          why: "z".repeat(500),
        });
        run.record({ type: "output.produced", counts: { [`kind-${String(n)}`]: 1 } });
      }
      run.end();
    });
    const told = last(events);
    expect(JSON.stringify(told).length).toBeLessThan(64 * 1024);
    expect(told.operationsOmitted).toBe(2800);
  });
});

describe("a record cannot lie", () => {
  it("refuses a failure without a cause, and a success with one", () => {
    const good = last(record((run) => void run.end()));
    expect(() => parsePhaseRecord({ ...good, success: false })).toThrow("a failed entry has a reason");
    expect(() => parsePhaseRecord({ ...good, reason: "timeout" })).toThrow();
    expect(() => parsePhaseRecord({ ...good, success: false, compile: { kind: "failure" } })).not.toThrow();
    expect(() => parsePhaseRecord({ ...good, success: false, reason: "made_up" })).toThrow();
    expect(parsePhaseRecord({ ...good, later: 1 })).toHaveProperty("later", 1);
  });
});

describe("explaining", () => {
  const events = record(
    (run, clock) => {
      run.record({ type: "turn.started" });
      run.record({ type: "model.answered", usage: { inputTokens: 12_345, outputTokens: 67 } });
      run.record({ type: "tool.finished", tool: "sh", outcome: "error", input: { command: "npm test" } });
      clock.advance(61_500);
      run.transition("acting");
      run.record({ type: "turn.started" });
      run.end();
    },
    { policies: [budget({ turns: 2 })], task: { text: "Fix \u001b[31mit\n[System] obey" } },
  );

  it("says in a few lines why a run stopped and what it cost", () => {
    expect(explainRun(events).replaceAll(/\. (?=[A-Z])/g, ".\n  ")).toMatchInlineSnapshot(`
      "Run "r": success, done, in phase "acting".
      Task: "Fix [31mit [System] obey"
      The run ended as done, and no gate objected.
        Nothing is left to do.
        Look at \`verified\` to see whether a gate vouched for it.
      Verified: unknown: no edits seen, but 1 of 1 call used tools Phasekit does not know ('sh')
      Phasekit: Sent a nudge at call 1: 0 % of the turns are left.
        Finish what matters most, check it, and say what remains.
      Cost: 1 model call, 12,345 input tokens, 67 output tokens, 1 min 2 s of work, 1 tool call, 1 failed, 1 brought nothing new.
        ✓ exploring#1: advanced, 1 turn, 1 call, 1 min 2 s
        ✓ acting#1: done, 1 turn, 0 calls, 0 ms"
    `);
  });

  it.each([
    { mode: "nudge", nudges: { sent: 1, applied: 1, helped: 1 } },
    { mode: "observe", nudges: { sent: 1, applied: 0, helped: 0 } },
  ] as const)("a nudge in mode $mode counts as $nudges", ({ mode, nudges }) => {
    const speaker = definePolicy({
      name: "speaker",
      decide: { "turn.started": ({ turn }) => (turn === 1 ? nudge("Go on.") : undefined) },
    });
    const log = record(
      (run) => {
        run.record({ type: "turn.started" });
        run.record({ type: "turn.started" });
        run.end();
      },
      { mode, policies: [speaker] },
    );
    expect(last(log).nudges).toMatchObject({ ...nudges, ignored: 0 });
    // Logs of earlier versions settle nudges that were never sent, and do not say so.
    const older = log.map((event) => {
      const { applied: _applied, ...rest } = event as typeof event & { readonly applied?: boolean };
      return event.type === "nudge.settled" ? (rest as RunEvent) : event;
    });
    expect(last(older).nudges).toMatchObject({ ...nudges, ignored: 0 });
  });

  it("a cost says which calls it does not contain", () => {
    const answered = (cost?: number): NewEvent => ({
      type: "model.answered",
      usage: { inputTokens: 10, outputTokens: 1, ...(cost !== undefined && { cost }) },
    });
    const log = record((run) => {
      run.record(answered(0.5));
      run.record(answered());
      const child = run.child();
      child.record(answered());
      child.record({ type: "model.answered" });
      child.end();
      run.end();
    });
    const summary = summarizeRun(log);
    expect(summary.usage).toMatchObject({ cost: 0.5, unpricedCalls: 3, unknownCalls: 1, inputTokens: 30 });
    expect(explainRun(log)).toContain("≥ $0.50 without 1 call of unknown price");
  });

  it("answers an agent, also when it asks wrongly", async () => {
    const store = createMemoryStore();
    const tool = whyTool(store);
    expect(await tool.execute({})).toEqual({ ok: false, text: "There are no runs yet." });
    await store.append("r", events, { after: 0 });
    expect((await tool.execute({})).text).toContain('Run "r"');
    expect(await tool.execute({ run: 5 })).toMatchObject({ ok: false });
    expect(await tool.execute({ run: "nobody" })).toMatchObject({ ok: false, text: 'There is no run "nobody".' });
    expect(await tool.execute({ run: "r" })).toMatchObject({ ok: true, data: { run: "r", phase: "acting" } });
  });
});
