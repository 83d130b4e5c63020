import { describe, expect, it } from "vitest";
import { loggedRun } from "../__fixtures__/logged-run.ts";
import { veto, vouch } from "../policies/decision.ts";
import type { Reason } from "../events/reason-codes.ts";
import type { NewEvent } from "../events/run-event.ts";
import { definePhaseGraph } from "../graph/phase-graph.ts";
import { definePolicy, type Policy } from "../policies/policy.ts";
import type { EndOptions } from "./run.ts";
import type { Mode } from "../view/run-view.ts";

const gate = (name = "tests"): Policy =>
  definePolicy({ name, decide: { "finish.requested": () => veto(`${name}: not met.`) } });
const keeper = (name = "keeper", verdict: "pass" | "concerns" = "pass"): Policy =>
  definePolicy({ name, decide: { "finish.requested": () => vouch({ verdict, evidence: { tests: 12 } }) } });
const tool: NewEvent = { type: "tool.finished", tool: "Read", outcome: "ok" };

const gated = (
  policies: readonly Policy[] = [gate()],
  options: { mode?: Mode; maxVetoes?: { sinceProgress?: number; inAll?: number } } = {},
) => {
  const logged = loggedRun({ mode: "gate", policies, ...options });
  /** Works one call, then asks to finish; whether it may. */
  const tryToFinish = (): boolean => {
    logged.run.record(tool);
    return logged.run.beforeFinish().accept;
  };
  return { ...logged, tryToFinish };
};

describe("vetoes", () => {
  it("vetoes hold the run back three times without progress, then it ends unverified", () => {
    const { run, of, tryToFinish } = gated();
    expect([tryToFinish(), tryToFinish(), tryToFinish(), tryToFinish()]).toEqual([false, false, false, true]);
    expect(of("finish.vetoed").map(({ held, applied }) => [held, applied])).toEqual([
      [undefined, true],
      [undefined, true],
      [undefined, true],
      ["limit", false],
    ]);
    run.end();
    expect(run.outcome).toMatchObject({
      reason: "done_unverified",
      verified: false,
      evidence: { grade: "claimed", gates: [{ gate: "tests", verdict: "fail", why: "tests: not met." }] },
    });
  });

  it.each<[string, NewEvent]>([
    ["progress", { type: "progress.made", what: "a test passes" }],
    ["a message to the agent", { type: "message.received", text: "go on" }],
    ["a change that landed", { type: "tool.finished", tool: "Edit", outcome: "ok", meaning: { mutates: true } }],
    ["passing tests", { type: "tool.finished", tool: "Bash", outcome: "ok", meaning: { tests: { verdict: "pass" } } }],
    ["an approved claim", { type: "verdict.given", verdict: "approved" }],
  ])("vetoes are counted anew after %s, up to six in total", (_what, progress) => {
    const { run, tryToFinish } = gated();
    const answers: boolean[] = [];
    for (let n = 0; n < 8; n += 1) {
      if (n % 2 === 0) run.record(progress);
      answers.push(tryToFinish());
    }
    expect(answers).toEqual([false, false, false, false, false, false, true, true]);
  });

  it.each<[string, NewEvent]>([
    ["a call that only reads", tool],
    ["a change that failed", { type: "tool.finished", tool: "Edit", outcome: "error", meaning: { mutates: true } }],
    [
      "a change that moved nothing",
      { type: "tool.finished", tool: "Edit", outcome: "ok", meaning: { mutates: true, moved: false } },
    ],
    ["failing tests", { type: "tool.finished", tool: "Bash", outcome: "ok", meaning: { tests: { verdict: "fail" } } }],
    ["a rejected claim", { type: "verdict.given", verdict: "rejected" }],
    ["what the agent itself says", { type: "message.sent", text: "progress!" }],
  ])("vetoes are not counted anew after %s", (_what, input) => {
    const { run, tryToFinish } = gated();
    const answers: boolean[] = [];
    for (let n = 0; n < 4; n += 1) {
      run.record(input);
      answers.push(tryToFinish());
    }
    expect(answers).toEqual([false, false, false, true]);
  });

  it("a gate never vetoes twice without a new tool call between", () => {
    const { run, of } = gated();
    expect(run.beforeFinish().accept).toBe(false);
    run.record({ type: "message.sent", text: "but I am done" });
    expect(run.beforeFinish()).toMatchObject({ accept: true, verified: false, unmet: [{ gate: "tests" }] });
    expect(of("finish.vetoed")[1]).toMatchObject({ held: "unchanged", applied: false });
    run.record(tool);
    expect(run.beforeFinish().accept).toBe(false);
  });

  it("vetoes of several gates at one finish count as one", () => {
    const { tryToFinish, of } = gated([gate("a"), gate("b"), gate("c"), gate("d")]);
    expect([tryToFinish(), tryToFinish(), tryToFinish(), tryToFinish()]).toEqual([false, false, false, true]);
    expect(
      of("finish.vetoed")
        .slice(0, 12)
        .every(({ applied }) => applied),
    ).toBe(true);
    expect(
      of("finish.vetoed")
        .slice(12)
        .every(({ held }) => held === "limit"),
    ).toBe(true);
  });

  it("vetoes have limits that can be set", () => {
    const { tryToFinish } = gated([gate()], { maxVetoes: { sinceProgress: 1 } });
    expect([tryToFinish(), tryToFinish()]).toEqual([false, true]);
    const none = gated([gate()], { maxVetoes: { inAll: 0 } });
    expect(none.tryToFinish()).toBe(true);
  });

  it("a veto may name its own gate; the policy's name is the default", () => {
    const { run, of } = gated([
      definePolicy({
        name: "p",
        decide: { "finish.requested": () => [veto("one", { gate: "lint", evidence: { errors: 2 } }), veto("two")] },
      }),
    ]);
    run.beforeFinish();
    expect(of("finish.vetoed").map(({ gate: name, evidence }) => [name, evidence])).toEqual([
      ["lint", { errors: 2 }],
      ["p", undefined],
    ]);
  });

  it("a veto does not hold back a host that cannot send the agent back", () => {
    const { run, of } = gated();
    expect(run.beforeFinish({ canVeto: false })).toMatchObject({
      accept: true,
      verified: false,
      unmet: [{ gate: "tests", text: "tests: not met." }],
    });
    expect(of("finish.vetoed")[0]).toMatchObject({ applied: false });
    expect(of("finish.vetoed")[0]).not.toHaveProperty("held");
  });

  it.each([
    { mode: "observe", accept: true },
    { mode: "nudge", accept: true },
    { mode: "gate", accept: false },
  ] as const)("a veto in mode $mode, accepted: $accept; the end is unverified in every mode", ({ mode, accept }) => {
    const { run, of } = gated([gate()], { mode });
    expect(run.beforeFinish().accept).toBe(accept);
    expect(of("finish.vetoed")[0]?.applied).toBe(!accept);
    run.end();
    expect(run.outcome).toMatchObject({ reason: "done_unverified", verified: false });
  });
});

describe("a waiver", () => {
  it("a waiver lets a run finish without a gate, and that gate counts neither for nor against", () => {
    const { run, of } = gated();
    expect(run.waive("tests", { by: "user", name: "Ann", why: "flaky suite" })).toBe(true);
    expect(run.beforeFinish()).toMatchObject({ accept: true, verified: false, unmet: [], evidence: { gates: [] } });
    expect(of("finish.vetoed")[0]).toMatchObject({ held: "waived", applied: false });
    run.end();
    expect(run.outcome).toMatchObject({ reason: "done", verified: false });
    expect(of("move.requested")[0]).toMatchObject({ do: "waive", gate: "tests", why: "flaky suite", name: "Ann" });
  });

  it("a waiver beside a gate that vouches leaves the run verified", () => {
    const { run } = gated([gate(), keeper()]);
    run.waive("tests", { why: "flaky suite" });
    expect(run.beforeFinish()).toMatchObject({ accept: true, verified: true });
  });

  it.each([
    { at: 1999, accept: true },
    { at: 2000, accept: false },
    { at: 2001, accept: false },
  ])("a waiver until 2000 at $at, accepted: $accept", ({ at, accept }) => {
    const { run } = gated();
    run.waive("tests", { why: "until the fix is in", until: 2000 });
    expect(run.beforeFinish({ at }).accept).toBe(accept);
  });

  it("a waiver covers one gate only", () => {
    const { run } = gated([gate("a"), gate("b")]);
    run.waive("a", { why: "x" });
    expect(run.beforeFinish()).toMatchObject({ accept: false, text: "<phasekit>\nb: not met.\n</phasekit>" });
  });

  it.each([
    { by: "agent", why: "please", refused: "not-allowed", text: "Only a user or a judge may waive a gate." },
    { by: "policy", why: "please", refused: "not-allowed", text: "Only a user or a judge may waive a gate." },
    { by: "user", why: " ", refused: "no-reason", text: 'Waiving the gate "tests" needs a reason.' },
  ] as const)("a waiver by $by with reason '$why' is refused", ({ by, why, refused, text }) => {
    const { run, of } = gated();
    expect(run.waive("tests", { by, why })).toBe(false);
    expect(of("phase.refused")[0]).toMatchObject({ do: "waive", why: refused, text });
    expect(run.beforeFinish().accept).toBe(false);
  });

  it("a judge may waive a gate", () => {
    expect(gated().run.waive("tests", { by: "judge", why: "seen" })).toBe(true);
  });
});

describe("the end of a run", () => {
  it.each([
    { what: "no gate at all", policies: [], reason: "done", verified: false },
    { what: "a gate that vouches", policies: [keeper()], reason: "done", verified: true },
    { what: "a gate that vouches with concerns", policies: [keeper("k", "concerns")], reason: "done", verified: true },
    { what: "a gate that objects", policies: [gate()], reason: "done_unverified", verified: false },
    { what: "one of each", policies: [keeper(), gate()], reason: "done_unverified", verified: false },
  ])(
    "a run that ends with $what is $reason, verified: $verified, without a finish request",
    ({ policies, reason, verified }) => {
      for (const mode of ["observe", "nudge", "gate"] as const) {
        const { run, of } = gated(policies, { mode });
        expect(run.end()).toBe(true);
        expect(run.outcome).toMatchObject({ phase: "working", reason, verified });
        expect(of("finish.requested")).toMatchObject([{ canVeto: false }]);
        expect(of("run.finished")).toMatchObject([{ reason, verified, outcome: "completed", phase: "working" }]);
      }
    },
  );

  it("run.finished keeps the answer of each gate", () => {
    const { run } = gated([keeper(), keeper("k2", "concerns"), gate()]);
    run.end();
    expect(run.outcome?.evidence).toEqual({
      grade: "claimed",
      why: "tests: not met.",
      gates: [
        { gate: "keeper", verdict: "pass", evidence: { tests: 12 } },
        { gate: "k2", verdict: "concerns", evidence: { tests: 12 } },
        { gate: "tests", verdict: "fail", why: "tests: not met." },
      ],
    });
  });

  it("end does not ask the gates again when the finish is still open", () => {
    const { run, of } = gated([keeper()]);
    run.beforeFinish();
    run.end();
    expect(of("finish.requested")).toHaveLength(1);
    expect(run.outcome?.verified).toBe(true);
  });

  it("end asks the gates again when something happened since", () => {
    const { run, of } = gated([keeper()]);
    run.beforeFinish();
    run.record(tool);
    run.end();
    expect(of("finish.requested")).toHaveLength(2);
  });

  it("a run the host calls done is still done_unverified with an unmet gate", () => {
    const { run } = gated();
    run.end({ reason: "done" });
    expect(run.outcome?.reason).toBe("done_unverified");
  });

  it.each([
    { options: { reason: "cancelled" }, reason: "cancelled", outcome: "failed" },
    { options: { reason: "abandoned" }, reason: "abandoned", outcome: "abandoned" },
    { options: { error: new TypeError("boom") }, reason: "unknown", outcome: "failed" },
    { options: { error: new TypeError("boom"), reason: "rate_limit" }, reason: "rate_limit", outcome: "failed" },
  ] as const)("end with $options asks no gate and ends as $reason", ({ options, reason, outcome }) => {
    const { run, of } = gated([keeper()]);
    run.end({ ...options, summary: "half of it" });
    expect(of("run.finished")[0]).toMatchObject({
      reason,
      outcome,
      verified: false,
      summary: "half of it",
      ...("error" in options && { error: { name: "TypeError", message: "boom" } }),
    });
    expect(of("finish.requested")).toEqual([]);
  });

  it("end after a stop names the stop's reason, and asks no gate", () => {
    const { run, of } = gated([gate()]);
    run.stop({ reason: "turn_limit" });
    run.end();
    expect(run.outcome).toMatchObject({ reason: "turn_limit", verified: false });
    expect(of("finish.requested")).toEqual([]);
  });

  it("the end of a suspended run is suspended, and such a run may be resumed", () => {
    const { run } = gated([gate()]);
    run.suspend();
    run.end();
    expect(run.outcome?.reason).toBe("suspended");
    expect(run.resume()).toBe(true);
    expect(run.view).toMatchObject({ status: "running", attempt: 2, outcome: undefined });
  });

  it("a run ends once", () => {
    const { run, of } = gated([]);
    expect(run.end()).toBe(true);
    expect(run.end({ reason: "cancelled" })).toBe(false);
    expect(of("run.finished")).toHaveLength(1);
    expect(run.outcome?.reason).toBe("done");
  });
});

it("a veto withheld because nothing changed does not count against the limit", () => {
  const gate = definePolicy({ name: "gate", decide: { "finish.requested": () => veto("Not yet.") } });
  const { run, of } = loggedRun({ mode: "gate", policies: [gate], maxVetoes: { sinceProgress: 2, inAll: 2 } });
  for (let n = 0; n < 4; n += 1) {
    run.beforeFinish();
    run.record({ type: "message.sent", text: "Done." });
  }
  run.record({ type: "tool.finished", tool: "Read", outcome: "ok" });
  run.beforeFinish();
  run.record({ type: "tool.finished", tool: "Read", outcome: "ok" });
  run.beforeFinish();
  expect(of("finish.vetoed").map(({ held }) => held)).toEqual([
    undefined,
    "unchanged",
    "unchanged",
    "unchanged",
    undefined,
    "limit",
  ]);
});

describe("a condition that is false at the end", () => {
  const failed = (gate: string, outcome: "failure" | "success" | "exception" = "failure"): NewEvent => ({
    type: "check.finished",
    check: "resolve",
    outcome,
    gate,
  });
  const answered = (finishReason: string): NewEvent => ({ type: "model.answered", finishReason, textLength: 9 });
  const graph = definePhaseGraph({ initial: "a", phases: { a: { next: ["b"] }, b: { next: [], final: true } } });

  it.each<[string, readonly NewEvent[], EndOptions, object]>([
    ["nothing is false", [], {}, { reason: "done", outcome: "completed", predicate: undefined }],
    [
      "the host names it",
      [],
      { predicate: "missed" },
      { reason: "done_unverified", outcome: "failed", predicate: "missed" },
    ],
    ["a gate failed", [failed("missed")], {}, { reason: "done_unverified", outcome: "failed", predicate: "missed" }],
    ["a gate threw", [failed("missed", "exception")], {}, { reason: "done_unverified", predicate: "missed" }],
    [
      "a gate failed, then passed",
      [failed("missed"), failed("missed", "success")],
      {},
      { reason: "done", predicate: undefined },
    ],
    ["one of two passed", [failed("a"), failed("b"), failed("b", "success")], {}, { predicate: "a" }],
    ["two failed", [failed("a"), failed("b")], {}, { predicate: "b" }],
    ["the host knows better", [failed("a")], { predicate: "named" }, { predicate: "named" }],
    [
      "a check without a gate failed",
      [{ type: "check.finished", check: "lint", outcome: "failure" }],
      {},
      { reason: "done" },
    ],
    [
      "it failed in the phase before",
      [failed("a"), { type: "move.requested", do: "transition", to: "b", by: "user" }],
      {},
      { reason: "done" },
    ],
    [
      "the gate was waived",
      [failed("a"), { type: "move.requested", do: "waive", gate: "a", by: "user", why: "known" }],
      {},
      { reason: "done" },
    ],
    ["the host says done", [failed("a")], { reason: "done" }, { reason: "done_unverified", predicate: "a" }],
    [
      "the host left its loop",
      [answered("tool_use")],
      { predicate: "missed" },
      { reason: "done_unverified", predicate: "missed" },
    ],
    [
      "an error says more",
      [failed("a")],
      { error: { status: 429 } },
      { reason: "rate_limit", outcome: "failed", predicate: undefined },
    ],
    [
      "another reason says more",
      [],
      { reason: "timeout", predicate: "a" },
      { reason: "timeout", predicate: undefined },
    ],
    [
      "the last answer was cut off",
      [answered("length")],
      { predicate: "a" },
      { reason: "answer_truncated", predicate: undefined },
    ],
    [
      "a stop says more",
      [{ type: "move.requested", do: "stop", by: "user" }],
      { predicate: "a" },
      { reason: "cancelled", predicate: undefined },
    ],
    [
      "its name is not a name",
      [],
      { predicate: 7 as unknown as string },
      { reason: "done_unverified", predicate: "unknown" },
    ],
  ])("%s", (...[, events, ending, expected]) => {
    const { run, of } = loggedRun({ graph });
    for (const event of events) run.record(event);
    expect(run.end(ending)).toBe(true);
    const [{ reason, outcome, predicate } = {}] = of("run.finished");
    expect({ reason, outcome, predicate }).toMatchObject(expected);
    expect(run.outcome?.predicate).toBe(predicate);
    if (predicate !== undefined)
      expect(run.outcome).toMatchObject({
        verified: false,
        evidence: { why: `The condition "${predicate}" was not met.` },
      });
  });
});

describe("a reason that is not known", () => {
  it("ends the run as unknown, and an event.rejected names it", () => {
    const { run, of } = loggedRun();
    expect(run.end({ reason: "ratelimit" as Reason })).toBe(true);
    expect(run.outcome?.reason).toBe("unknown");
    expect(of("event.rejected")).toMatchObject([{ rejected: "run.finished", issues: [{ path: "reason" }] }]);
    expect(JSON.stringify(of("event.rejected"))).toContain("ratelimit");
  });
});
