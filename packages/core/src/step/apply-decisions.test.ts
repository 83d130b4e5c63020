import { describe, expect, it } from "vitest";
import { loggedRun } from "../__fixtures__/logged-run.ts";
import { withMode } from "../policies/combinators/with-mode.ts";
import {
  alert,
  type Decision,
  emit,
  nudge,
  refuse,
  review,
  severityOf,
  stop,
  transition,
  veto,
  vouch,
} from "../policies/decision.ts";
import { defineEvent } from "../events/define-event.ts";
import { definePhaseGraph } from "../graph/phase-graph.ts";
import { definePolicy, type Policy } from "../policies/policy.ts";
import type { Mode } from "../view/run-view.ts";

/** Raises an alert whose count is the progress text, as long as that is a number. */
const counter = (name = "counter", kind = "loop"): Policy<{ count: number }> =>
  definePolicy({
    name,
    initial: () => ({ count: 0 }),
    observe: {
      "progress.made": (state, { what }) => {
        state.count = Number(what);
      },
    },
    decide: {
      "progress.made": (_run, { count }) =>
        count > 0 ? alert({ kind, signature: "s", count, subject: "call", evidence: { count } }) : undefined,
    },
  });

describe("alerts are levels", () => {
  it("an alert is raised when new or more severe, silent while it holds, and cleared when its policy drops it", () => {
    const { run, of, log } = loggedRun({ policies: [counter()] });
    for (const count of [2, 3, 4, 5, 6, 7, 4, 0, 0, 2]) run.record({ type: "progress.made", what: String(count) });
    expect(
      log
        .filter(({ type }) => type.startsWith("alert"))
        .map((event) =>
          event.type === "alert.raised" ? `raised ${event.severity} ${String(event.count)}` : event.type,
        ),
    ).toEqual(["raised notice 2", "raised warning 4", "raised critical 6", "alert.cleared", "raised notice 2"]);
    expect(of("alert.cleared")).toMatchObject([{ by: "counter", kind: "loop", signature: "s", why: "gone" }]);
    expect(of("alert.raised")[0]).toMatchObject({
      by: "counter",
      on: "progress.made",
      subject: "call",
      evidence: { count: 2 },
    });
    expect([...run.view.alerts.values()]).toEqual([
      {
        policy: "counter",
        kind: "loop",
        signature: "s",
        severity: "notice",
        count: 2,
        on: "progress.made",
        subject: "call",
        evidence: { count: 2 },
        seq: 16,
        turn: 0,
      },
    ]);
  });

  it("an alert that got worse is still the one raised first", () => {
    const { run, of } = loggedRun({ policies: [counter()] });
    run.record({ type: "progress.made", what: "2" });
    run.record({ type: "progress.made", what: "6" });
    const [open] = [...run.view.alerts.values()];
    expect(open).toMatchObject({ severity: "critical", seq: of("alert.raised")[0]?.seq });
  });

  it("an alert belongs to the event type that raised it: silence at another type does not clear it", () => {
    const { run, of } = loggedRun({
      policies: [
        definePolicy({
          name: "p",
          decide: {
            "progress.made": () => alert({ kind: "k" }),
            "turn.started": () => undefined,
            "plan.declared": () => alert({ kind: "other" }),
          },
        }),
      ],
    });
    run.record({ type: "progress.made", what: "x" });
    run.record({ type: "turn.started" });
    run.record({ type: "plan.declared" });
    run.record({ type: "question.asked", question: "?" });
    expect(of("alert.cleared")).toEqual([]);
    expect(run.view.alerts.size).toBe(2);
  });

  it("an alert of a policy that repeats everything at every event ends at any event it decides on", () => {
    const decide: Policy["decide"] = {
      "progress.made": () => alert({ kind: "k" }),
      "turn.started": (run) => (run.turn === 1 ? alert({ kind: "k" }) : undefined),
    };
    const { run, of } = loggedRun({
      policies: [definePolicy({ name: "all", alerts: "complete", decide }), definePolicy({ name: "some", decide })],
    });
    run.record({ type: "progress.made", what: "x" });
    run.record({ type: "turn.started" });
    run.record({ type: "question.asked", question: "?" });
    expect(of("alert.cleared")).toEqual([]);
    run.record({ type: "turn.started" });
    expect(of("alert.cleared")).toMatchObject([{ by: "all", kind: "k", why: "gone" }]);
    expect([...run.view.alerts.values()].map(({ policy }) => policy)).toEqual(["some"]);
  });

  it("alerts differ by policy, kind and signature", () => {
    const many = definePolicy({
      name: "many",
      decide: {
        "progress.made": () => [alert({ kind: "a" }), alert({ kind: "a", signature: "x" }), alert({ kind: "b" })],
      },
    });
    const { run, of } = loggedRun({ policies: [many, counter("other", "a")] });
    run.record({ type: "progress.made", what: "1" });
    expect(run.view.alerts.size).toBe(4);
    run.record({ type: "progress.made", what: "0" });
    expect(of("alert.cleared")).toMatchObject([{ by: "other" }]);
  });

  it("a policy's silence does not clear another policy's alert, nor does a failed policy's", () => {
    let broken = false;
    const fails = definePolicy({
      name: "fails",
      decide: {
        "progress.made": () => {
          if (broken) throw new Error("x");
          return alert({ kind: "k" });
        },
      },
    });
    const silent = definePolicy({ name: "silent", decide: { "progress.made": () => undefined } });
    const { run, of } = loggedRun({ policies: [fails, silent] });
    run.record({ type: "progress.made", what: "1" });
    broken = true;
    run.record({ type: "progress.made", what: "1" });
    expect(of("alert.cleared")).toEqual([]);
  });

  it.each([
    { open: 64, evicted: 0 },
    { open: 65, evicted: 1 },
    { open: 70, evicted: 6 },
  ])("$open open alerts: $evicted of the oldest are evicted, and recorded as such", ({ open, evicted }) => {
    const flood = definePolicy({
      name: "flood",
      decide: {
        "progress.made": (_run, _state, { what }) =>
          Array.from({ length: Number(what) }, (_, n) => alert({ kind: "k", signature: String(n) })),
      },
    });
    const { run, of } = loggedRun({ policies: [flood] });
    run.record({ type: "progress.made", what: String(open) });
    expect(run.view.alerts.size).toBe(64);
    expect(of("alert.cleared").map(({ signature, why }) => [signature, why])).toEqual(
      Array.from({ length: evicted }, (_, n) => [String(n), "evicted"]),
    );
  });

  it.each([
    [1, "notice"],
    [3, "notice"],
    [4, "warning"],
    [5, "warning"],
    [6, "critical"],
    [100, "critical"],
  ] as const)("an alert with a count of %d is %s", (count, severity) => {
    expect(severityOf(count)).toBe(severity);
    expect(alert({ kind: "k", count }).severity).toBe(severity);
    expect(alert({ kind: "k", count, severity: "notice" }).severity).toBe("notice");
  });
});

describe("a nudge about a review", () => {
  const reviewed = (): Policy =>
    definePolicy({
      name: "reviewed",
      initial: () => ({ told: "" }),
      observe: {
        "review.finished": (state, { feedback = "" }) => {
          state.told = feedback;
        },
        "nudge.sent": (state, { by }) => {
          if (by === "reviewed") state.told = "";
        },
      },
      decide: {
        "turn.started": (run, { told }) => [
          ...(told === "" ? [] : [nudge(told, { episode: told })]),
          ...(run.turn === 1 ? [nudge("first"), review({ kind: "r", text: "?" })] : []),
        ],
        "review.finished": (_run, { told }) => nudge(told, { episode: told }),
      },
    });

  it("a nudge about a review reaches the turn that waits for it, beside that turn's earlier nudges", () => {
    const { run, of } = loggedRun({ policies: [reviewed()], nudges: { cooldownTurns: 0 } });
    const { review: asked } = run.beforeTurn();
    run.record({
      type: "review.finished",
      review: asked?.review ?? "",
      verdict: "needs-changes",
      feedback: "Look again.",
      waited: true,
    });
    expect(run.beforeTurn()).toMatchObject({
      turn: 1,
      nudges: [{ text: "first" }, { text: "Look again." }],
      review: undefined,
    });
    run.record({ type: "model.answered" });
    expect(run.beforeTurn().message).toBeUndefined();
    expect(of("nudge.sent").map(({ turn, text }) => [turn, text])).toEqual([
      [1, "first"],
      [1, "Look again."],
    ]);
  });

  it.each([
    { what: "was asked meanwhile", answered: false, waited: undefined },
    { what: "has answered meanwhile", answered: true, waited: true },
  ])("a nudge about a review reaches the next turn when the model $what", ({ answered, waited }) => {
    const { run, of } = loggedRun({ policies: [reviewed()], nudges: { cooldownTurns: 0 } });
    const { review: asked } = run.beforeTurn();
    if (answered) run.record({ type: "model.answered" });
    run.record({
      type: "review.finished",
      review: asked?.review ?? "",
      verdict: "needs-changes",
      feedback: "Look again.",
      ...(waited && { waited }),
    });
    expect(of("nudge.sent")).toHaveLength(1);
    if (!answered) run.record({ type: "model.answered" });
    expect(run.beforeTurn()).toMatchObject({ turn: 2, nudges: [{ text: "Look again." }] });
  });

  it("a nudge about a review shares the allowance of its turn", () => {
    const { run, of } = loggedRun({ policies: [reviewed()], nudges: { cooldownTurns: 0, tokensPerTurn: 110 } });
    const { review: asked } = run.beforeTurn();
    run.record({
      type: "review.finished",
      review: asked?.review ?? "",
      verdict: "needs-changes",
      feedback: "x".repeat(439),
      waited: true,
    });
    expect(of("nudge.sent").map(({ text, shortened }) => [text.length, shortened])).toEqual([
      [5, undefined],
      [435, true],
    ]);
  });
});

describe("modes", () => {
  const graph = definePhaseGraph({ initial: "a", phases: { a: { next: ["b"] }, b: { next: [] } } });
  const input = defineEvent<number>("noted");
  const everything = (): Policy<undefined, "b"> =>
    definePolicy({
      name: "all",
      mentions: ["b"],
      decide: {
        "turn.started": () => [
          nudge("n"),
          review({ kind: "r", text: "?" }),
          review({ kind: "g", text: "?", episode: "graded", onlyInGate: true }),
        ],
        "tool.requested": () => refuse("no"),
        "finish.requested": () => [veto("no"), vouch({ gate: "other" })],
        "progress.made": () => [
          alert({ kind: "k" }),
          emit(input, 1),
          stop({ reason: "turn_limit" }),
          stop({ reason: "policy_stop", onlyInGate: true }),
          transition("b"),
        ],
      },
    });
  const play = (mode: Mode, policies: readonly Policy<undefined, "b">[] = [everything()]) => {
    const logged = loggedRun({ graph, mode, policies });
    logged.run.record({ type: "turn.started" });
    logged.run.record({ type: "tool.requested", tool: "Read" });
    logged.run.record({ type: "finish.requested" });
    logged.run.record({ type: "progress.made", what: "x" });
    return logged;
  };

  it.each([
    {
      mode: "observe",
      applied: {
        "nudge.sent": [false],
        "review.requested": [false, false],
        "tool.refused": [false],
        "finish.vetoed": [false],
        "stop.requested": [false, false],
      },
    },
    {
      mode: "nudge",
      applied: {
        "nudge.sent": [true],
        "review.requested": [true, false],
        "tool.refused": [false],
        "finish.vetoed": [false],
        "stop.requested": [true, false],
      },
    },
    {
      mode: "gate",
      applied: {
        "nudge.sent": [true],
        "review.requested": [true, true],
        "tool.refused": [true],
        "finish.vetoed": [true],
        "stop.requested": [true, true],
      },
    },
  ] as const)("mode $mode applies what it allows", ({ mode, applied }) => {
    const { of, run } = play(mode);
    for (const [type, expected] of Object.entries(applied))
      expect(
        of(type as "nudge.sent").map((event) => event.applied),
        type,
      ).toEqual(expected);
    expect(run.view.phase).toBe("b");
    expect(run.view.alerts.size).toBe(1);
    expect(of("event.emitted")).toMatchObject([{ name: "noted", data: 1 }]);
    expect(run.view.stopped !== undefined).toBe(mode !== "observe");
  });

  it("modes differ only in what is applied", () => {
    const logs = (["observe", "nudge", "gate"] as const).map((mode) =>
      JSON.stringify(play(mode).log.map((event) => ({ ...event, applied: undefined, mode: undefined }))),
    );
    expect(new Set(logs).size).toBe(1);
  });

  it.each([
    { run: "observe", own: "gate", refused: true },
    { run: "gate", own: "observe", refused: false },
    { run: "gate", own: "nudge", refused: false },
  ] as const)("a policy in $own within a run in $run refuses: $refused", ({ run, own, refused }) => {
    const { of } = play(run, [withMode(everything(), own)]);
    expect(of("tool.refused").map(({ applied }) => applied)).toEqual([refused]);
    expect(of("run.started")[0]?.mode).toBe(run);
  });
});

describe("stops", () => {
  it("a stop is recorded once per policy and reason, and the first that applies wins", () => {
    const many = definePolicy({
      name: "p",
      decide: { "progress.made": (_run, _state, { what }) => stop({ reason: what as "turn_limit", text: what }) },
    });
    const { run, of } = loggedRun({ policies: [many] });
    for (const what of ["turn_limit", "turn_limit", "token_limit", "turn_limit"])
      run.record({ type: "progress.made", what });
    expect(of("stop.requested").map(({ reason }) => reason)).toEqual(["turn_limit", "token_limit"]);
    expect(run.view.stopped).toEqual({ reason: "turn_limit", how: "halt", by: "p", text: "turn_limit" });
  });

  it("a stop commanded by a person applies in every mode", () => {
    const { run, of } = loggedRun({ mode: "observe" });
    expect(run.stop({ name: "Ann", why: "lunch", how: "abort" })).toBe(true);
    expect(of("stop.requested")).toMatchObject([
      { by: "Ann", reason: "cancelled", how: "abort", text: "lunch", applied: true },
    ]);
    expect(run.beforeTurn().stop).toEqual({ reason: "cancelled", how: "abort", text: "lunch" });
  });

  it("a stop after the end does nothing", () => {
    const { run, log } = loggedRun();
    run.end();
    const { length } = log;
    expect(run.stop()).toBe(false);
    expect(log).toHaveLength(length);
  });
});

describe("decisions out of place", () => {
  const at = (decision: unknown) =>
    definePolicy({ name: "wrong", decide: { "progress.made": () => decision as never } });

  it.each([
    ["a nudge", nudge("x"), 'nudge is possible at "turn.started" and "review.finished" only, not at "progress.made"'],
    ["a refusal", refuse("x"), 'refuse is possible at "tool.requested" only, not at "progress.made"'],
    ["a veto", veto("x"), 'veto is possible at "finish.requested" only, not at "progress.made"'],
    ["a vouch", vouch(), 'vouch is possible at "finish.requested" only, not at "progress.made"'],
    ["a review", review({ kind: "k", text: "?" }), 'review is possible at "turn.started" only, not at "progress.made"'],
    ["something else", { decision: "explode" }, '"explode" is not a decision'],
    ["a text", "stop", "a decision is an object, not stop"],
  ] as const)("%s fails the policy and has no effect", (_what, decision, message) => {
    const { run, typesFrom, of } = loggedRun({ mode: "gate", policies: [at(decision)] });
    run.record({ type: "progress.made", what: "x" });
    expect(typesFrom(2)).toEqual(["progress.made", "policy.failed"]);
    expect(of("policy.failed")[0]).toMatchObject({
      policy: "wrong",
      during: "decide",
      message: `TypeError: ${message}`,
    });
  });

  it("a legal decision beside an illegal one has no effect either: a policy's decisions apply as a whole", () => {
    const { run, of } = loggedRun({ policies: [at([stop(), nudge("x")])] });
    run.record({ type: "progress.made", what: "x" });
    expect(of("stop.requested")).toEqual([]);
  });

  it.each([
    ["a list of nothing", []],
    ["null", null],
    ["undefined", undefined],
  ])("%s decides nothing and is not a failure", (_what, decision) => {
    const { run, typesFrom } = loggedRun({ policies: [at(decision)] });
    run.record({ type: "progress.made", what: "x" });
    expect(typesFrom(2)).toEqual(["progress.made"]);
  });

  it.each<[string, "turn.started" | "tool.requested" | "finish.requested", unknown]>([
    ["a nudge", "turn.started", { decision: "nudge", times: 1, priority: 0 }],
    ["a review", "turn.started", { decision: "review", kind: "k" }],
    ["a refusal", "tool.requested", { decision: "refuse" }],
    ["a veto", "finish.requested", { decision: "veto", text: 5 }],
  ])("%s without a text fails the policy, not the host", (_what, type, decision) => {
    const { run, of } = loggedRun({
      mode: "gate",
      policies: [definePolicy({ name: "wrong", decide: { [type]: () => decision as Decision } })],
    });
    expect(run.record({ type, tool: "Read" })).toBe(true);
    expect(of("policy.failed")).toHaveLength(1);
  });
});

describe("a nudge in the log", () => {
  it("a nudge.sent event keeps the topic and says that the nudge was shortened", () => {
    const { run, of } = loggedRun({
      policies: [
        definePolicy({
          name: "topical",
          decide: { "turn.started": () => nudge("short", { topic: "tests", priority: 9 }) },
        }),
        definePolicy({ name: "long", decide: { "turn.started": () => nudge("word ".repeat(2000)) } }),
      ],
    });
    run.beforeTurn();
    const [topical, long] = of("nudge.sent");
    expect(topical).toMatchObject({ by: "topical", topic: "tests" });
    expect(topical).not.toHaveProperty("shortened");
    expect(long).toMatchObject({ by: "long", shortened: true });
    expect(long).not.toHaveProperty("topic");
  });

  it("a repeated nudge settles its own earlier one as ignored, and leaves those of other policies alone", () => {
    const { run, of } = loggedRun({
      nudges: { cooldownTurns: 0, perEntry: 99 },
      policies: [
        definePolicy({
          name: "first",
          decide: { "turn.started": (view) => nudge("again", { episode: view.turn < 3 ? "one" : "two", times: 2 }) },
        }),
        definePolicy({
          name: "other",
          decide: {
            "turn.started": (view) =>
              view.turn === 1 ? nudge("once", { episode: "one" }) : nudge("later", { episode: "one", times: 2 }),
          },
        }),
      ],
    });
    for (let turn = 0; turn < 3; turn += 1) {
      run.beforeTurn();
      run.record({ type: "model.answered" });
    }
    const sent = of("nudge.sent").map(({ nudge: id, by, episode, turn }) => ({
      id,
      key: `${by}/${episode}/${String(turn)}`,
    }));
    const keyOf = (id: string): string | undefined => sent.find((one) => one.id === id)?.key;
    expect(
      of("nudge.settled").map(
        ({ nudge: id, helped, by }) => `${by} ${keyOf(id) ?? "?"} ${helped ? "helped" : "ignored"}`,
      ),
    ).toEqual(["first first/one/1 ignored", "other other/one/1 ignored", "first first/one/2 helped"]);
  });
});
