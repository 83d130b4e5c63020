import { describe, expect, it } from "vitest";
import { definePhaseGraph } from "../graph/phase-graph.ts";
import { definePolicy, type Policy } from "../policies/policy.ts";
import { planPolicies } from "./policy-plan.ts";
import { createRun } from "../run/run.ts";
import { defineState } from "../view/run-view.ts";

const turns = defineState<{ count: number }>("turns");
const counting = definePolicy({
  name: "counting",
  key: turns,
  initial: () => ({ count: 0 }),
  observe: {
    "turn.started": (state) => {
      state.count += 1;
    },
  },
});

const graph = (initial: "early" | "late") =>
  definePhaseGraph({ name: "two", initial, phases: { early: { next: ["late"] }, late: { next: [], final: true } } });

describe("planPolicies", () => {
  it("planPolicies looks at a list once, for one graph", () => {
    const list: readonly Policy[] = [counting];
    const two = graph("early");
    expect(planPolicies(list, two)).toBe(planPolicies(list, two));
    expect(planPolicies(list, graph("early"))).not.toBe(planPolicies(list, two));
  });

  it("planPolicies looks once at the same policies in separate lists", () => {
    const two = graph("early");
    expect(planPolicies([counting], two)).toBe(planPolicies([counting], two));
    expect(planPolicies([counting, { name: "other" }], two).parts).toHaveLength(2);
    expect(planPolicies([counting], two).parts).toHaveLength(1);
  });

  it("planPolicies keeps a few sets of policies and no more", () => {
    const two = graph("early");
    const first = planPolicies([counting], two);
    for (let index = 0; index < 7; index += 1) planPolicies([{ name: `other-${String(index)}` }], two);
    expect(planPolicies([counting], two)).toBe(first);
    planPolicies([{ name: "one-more" }], two);
    expect(planPolicies([counting], two)).not.toBe(first);
  });

  it("planPolicies looks again at a list that has changed, also within a bundle", () => {
    const two = graph("early");
    const bundle: Policy[] = [counting];
    const list = [bundle];
    planPolicies(list, two);
    bundle.push({ name: "late-comer" });
    expect(planPolicies(list, two).parts).toEqual([{ name: "counting" }, { name: "late-comer" }]);
    bundle.push({ name: "late-comer" });
    expect(() => planPolicies(list, two)).toThrow(/late-comer/);
  });

  it("planPolicies keeps a parent's remaining budget out of the plan for others", () => {
    const list: readonly Policy[] = [counting];
    const two = graph("early");
    expect(planPolicies(list, two, { tokens: 5 })).toMatchObject({
      limits: { tokens: 5 },
      parts: [{ name: "counting" }, { name: "budget" }],
    });
    expect(planPolicies(list, two).limits).toEqual({});
  });

  it("planPolicies checks the policies of a list on every graph they are used with", () => {
    const list = [definePolicy({ name: "mentions", mentions: ["early"] })] as readonly Policy[];
    planPolicies(list, graph("early"));
    expect(() =>
      planPolicies(
        list,
        definePhaseGraph({ name: "other", initial: "only", phases: { only: { next: [], final: true } } }),
      ),
    ).toThrow(/"early"/);
  });
});

describe("runs that share their options", () => {
  it("runs that share their options share no state", () => {
    const options = { policies: [counting] };
    const first = createRun(options);
    const second = createRun(options);
    first.beforeTurn();
    expect([first.view.read(turns)?.count, second.view.read(turns)?.count]).toEqual([1, 0]);
  });

  it("runs that share their options each disable a failing policy on their own", () => {
    let fails = true;
    const failing = definePolicy({
      name: "failing",
      observe: {
        "turn.started": () => {
          if (fails) throw new Error("no");
        },
      },
    });
    const options = { policies: [failing] };
    const types = (): readonly string[] => {
      const seen: string[] = [];
      const run = createRun(options);
      run.subscribe((step) => {
        for (const event of step) seen.push(event.type);
      });
      run.beforeTurn();
      return seen;
    };
    expect(types()).toContain("policy.failed");
    fails = false;
    expect(types()).not.toContain("policy.failed");
  });
});
