import { budget, codingPhases, type NewEvent } from "@phasekit/core";
import { describePolicy } from "@phasekit/core/testing";
import { describe, expect, it } from "vitest";
import { bash, codingRun, edit, endlessReads, finished, read, type Step } from "../test/coding-run.ts";
import { phaseBudget, type PhaseBudgetOptions } from "./phase-budget.ts";
import { phaseTracker } from "./phase-tracker.ts";
import { saturation } from "./saturation.ts";

const reads = (count: number): readonly Step[] => Array.from({ length: count }, (_, n) => read(`f${String(n)}`));
const edits = (count: number): readonly Step[] => Array.from({ length: count }, (_, n) => edit(`f${String(n)}`));

const plan = (n: number): Step => ({ tool: "update_plan", args: { plan: [{ step: `step ${String(n)}` }] }, ok: true });

function speaks(options: PhaseBudgetOptions, steps: readonly Step[]): string | undefined {
  const { run, take, events } = codingRun({ policies: [phaseTracker(), phaseBudget(options)] });
  take(...steps);
  run.beforeTurn();
  return events.findLast((event) => event.type === "nudge.sent")?.text;
}

describe("phaseBudget", () => {
  const of = { turns: 10 };
  it.each<[what: string, options: PhaseBudgetOptions, steps: readonly Step[], words: RegExp | undefined]>([
    ["off by default", { of }, reads(9), undefined],
    ["30 % in exploring", { enabled: true, of }, reads(3), undefined],
    ["40 % in exploring", { enabled: true, of }, reads(4), /40 % of your turns/],
    ["another share", { enabled: true, of, maxExplorationPercent: 50 }, reads(4), undefined],
    ["an edit ends it", { enabled: true, of }, [edit("a"), ...reads(4)], undefined],
    ["70 % spent, no test", { enabled: true, of }, edits(7), undefined],
    ["80 % spent, no test", { enabled: true, of }, edits(8), /Only 20 % of your turns/],
    ["80 % spent, tested", { enabled: true, of }, [...edits(7), bash("npm test")], undefined],
    ["80 % spent, nothing changed", { enabled: true, of, maxExplorationPercent: 100 }, reads(8), undefined],
    ["another reserve", { enabled: true, of, reservedVerificationPercent: 30 }, edits(7), /Only 30 %/],
    ["without a whole there is no share", { enabled: true }, reads(50), undefined],
    ["of nothing there is no share", { enabled: true, of: { turns: 0 } }, [...reads(5), ...edits(5)], undefined],
    ["tested, then changed again", { enabled: true, of }, [edit("a"), bash("npm test"), ...edits(6)], undefined],
    ["tried out, not tested", { enabled: true, of }, [...edits(7), bash("npm run build")], undefined],
    ["reading after an edit", { enabled: true, of }, [edit("a"), ...reads(6)], undefined],
    ["planning", { enabled: true, of }, [read("a"), ...Array.from({ length: 5 }, (_, n) => plan(n))], undefined],
  ])("%s", (...[, options, steps, words]) => {
    const text = speaks(options, steps);
    if (words === undefined) expect(text).toBeUndefined();
    else expect(text).toMatch(words);
  });

  it("counts earlier stays in exploring", () => {
    const { run, take, events } = codingRun({
      policies: [phaseTracker(), phaseBudget({ enabled: true, of: { turns: 10 } })],
    });
    take(read("a"), read("b"));
    run.record({ type: "plan.declared" });
    take(read("c"), read("d"), read("e"));
    run.beforeTurn();
    expect(events.some((event) => event.type === "nudge.sent")).toBe(true);
  });

  it.each<[unit: string, facts: readonly NewEvent[], of: PhaseBudgetOptions["of"] & object]>([
    [
      "tokens",
      [{ type: "turn.started" }, { type: "model.answered", usage: { inputTokens: 350, outputTokens: 50 } }],
      { tokens: 1000 },
    ],
    [
      "time",
      [
        { type: "turn.started", at: 1000 },
        { type: "clock.ticked", at: 1400 },
      ],
      { timeMs: 1000 },
    ],
  ])("measures %s", (unit, facts, of) => {
    const { run, events } = codingRun({ policies: [phaseTracker(), phaseBudget({ enabled: true, of })] });
    for (const fact of facts) run.record(fact);
    run.record(finished(read("a")));
    run.beforeTurn({ at: 1400 });
    expect(events.findLast((event) => event.type === "nudge.sent")?.text).toContain(unit);
  });

  it("takes the run's own limits, and wins over saturation", () => {
    const { run, take } = codingRun({
      policies: [budget({ turns: 30 }), phaseTracker(), saturation(), phaseBudget({ enabled: true })],
    });
    take(...reads(10));
    const answer = run.beforeTurn();
    expect(answer.nudges.map(({ policy, text }) => ({ policy, text }))).toMatchInlineSnapshot(`
      [
        {
          "policy": "phase-budget",
          "text": "33 % of your turns went into looking around. Begin with the edits now, and open no more files: what you already know has to do for the fix.",
        },
      ]
    `);
  });

  it("the reserve counts input and output, and is an episode of its own", () => {
    const { run, take, events } = codingRun({
      policies: [phaseTracker(), phaseBudget({ enabled: true, of: { tokens: 1000 } })],
    });
    take(edit("a"));
    run.record({ type: "model.answered", usage: { inputTokens: 450, outputTokens: 360 } });
    run.beforeTurn();
    expect(
      events.flatMap((event) =>
        event.type === "nudge.sent" ? [[event.episode, event.topic, event.text.slice(0, 27)]] : [],
      ),
    ).toEqual([["verification-reserve", "budget", "Only 19 % of your tokens are".slice(0, 27)]]);
  });

  it.each([
    { maxExplorationPercent: 101 },
    { maxExplorationPercent: -1 },
    { reservedVerificationPercent: 101 },
    { reservedVerificationPercent: "20" },
  ])("refuses %j", (options) => {
    expect(() => phaseBudget(options as PhaseBudgetOptions)).toThrow(/is not a number between 0 and 100/);
  });

  it.each([
    [{ enabled: true }, {}, true],
    [{ enabled: true }, { turns: 5 }, false],
    [{ enabled: true, of: { tokens: 5 } }, {}, false],
    [{}, {}, false],
  ])("phaseBudget(%j) in a run limited to %j needs more: %s", (options, limits, needs) => {
    const missing = phaseBudget(options).needs?.({ mode: "nudge", limits, interpreters: [] });
    expect(missing !== undefined).toBe(needs);
  });

  it("says what the reserve is for", () => {
    expect(speaks({ enabled: true, of }, edits(8))).toMatchInlineSnapshot(
      `"Only 20 % of your turns are left. Run the tests now to check what you have changed, and change nothing more until you know whether it works."`,
    );
    expect(
      speaks({ enabled: true, of, verificationText: ({ percent, unit }) => `${String(percent)} ${unit}` }, edits(8)),
    ).toBe("20 turns");
    expect(
      speaks({ enabled: true, of, explorationText: ({ percent, unit }) => `${String(percent)} ${unit}` }, reads(4)),
    ).toBe("40 turns");
  });
});

describePolicy(() => phaseBudget({ enabled: true, of: { turns: 5 } }), {
  describe,
  it,
  graph: codingPhases,
  endless: endlessReads,
  events: [...reads(4), ...edits(3)].flatMap((step) => [{ type: "turn.started" as const }, finished(step)]),
});
