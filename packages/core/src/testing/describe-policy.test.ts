import { describe, expect, it } from "vitest";
import { alert, nudge, transition } from "../policies/decision.ts";
import type { NewEvent } from "../events/run-event.ts";
import { definePhaseGraph } from "../graph/phase-graph.ts";
import { definePolicy, type Policy } from "../policies/policy.ts";
import { describePolicy, type DescribePolicyOptions } from "./describe-policy.ts";

const turns: readonly NewEvent[] = Array.from({ length: 6 }, () => ({ type: "turn.started" as const }));

/** Runs the suite without a test runner: the name of the suite, and what became of each test. */
function results(
  make: Parameters<typeof describePolicy>[0],
  options: Partial<DescribePolicyOptions> = {},
): { readonly suite: string; readonly failed: Readonly<Record<string, string>>; readonly passed: readonly string[] } {
  const failed: Record<string, string> = {};
  const passed: string[] = [];
  let suite = "";
  describePolicy(make, {
    events: turns,
    describe: (name, body) => {
      suite = name;
      body();
    },
    it: (name, body) => {
      try {
        body();
        passed.push(name);
      } catch (error) {
        failed[name] = (error as Error).message.split("\n")[0] ?? "";
      }
    },
    ...options,
  });
  return { suite, failed, passed };
}

const ALL = [
  "gives the same log for the same events",
  "never throws",
  "changes nothing while deciding",
  "continues the same way when its log is replayed from any point",
  "keeps bounded memory",
];

describe("describePolicy", () => {
  it("describePolicy passes a good policy with memory", () => {
    const good = (): Policy<{ turns: number; recent: Map<string, Set<string>> }> =>
      definePolicy({
        name: "good",
        initial: () => ({ turns: 0, recent: new Map([["a", new Set<string>()]]) }),
        observe: {
          "turn.started": (state) => {
            state.turns += 1;
          },
        },
        decide: {
          "turn.started": (_run, { turns: seen }) => (seen > 2 ? [nudge("x"), alert({ kind: "k" })] : undefined),
        },
      });
    expect(results(good)).toEqual({ suite: "policy good", failed: {}, passed: ALL });
  });

  it("describePolicy passes a policy without decisions, and one on its own graph", () => {
    expect(results(() => definePolicy({ name: "idle" })).failed).toEqual({});
    const graph = definePhaseGraph({ initial: "a", phases: { a: { next: ["b"] }, b: { next: [] } } });
    expect(
      results(
        () =>
          definePolicy({
            name: "mover",
            mentions: ["b"],
            decide: { "turn.started": (run) => (run.turn === 3 ? transition("b") : undefined) },
          }),
        { graph },
      ).failed,
    ).toEqual({});
  });

  it("describePolicy catches a policy that remembers every edited file", () => {
    const hoarder = (): Policy<Set<string>> =>
      definePolicy({
        name: "hoarder",
        initial: () => new Set<string>(),
        observe: {
          "tool.finished": (files, { meaning }) => {
            if (meaning.activity === "edit") for (const file of meaning.targets ?? []) files.add(file);
          },
        },
      });
    expect(Object.keys(results(hoarder as () => Policy).failed)).toHaveLength(1);
  });

  it("describePolicy catches memory kept in a closure", () => {
    const forgetful = (): Policy => {
      let seen = 0;
      return definePolicy({
        name: "closure",
        decide: { "turn.started": () => ((seen += 1) === 3 ? nudge("x") : undefined) },
      });
    };
    expect(results(forgetful).failed).toEqual({
      "gives the same log for the same events":
        "Two runs with the same events differ: the policy remembers outside its state, or reads a clock.",
      "continues the same way when its log is replayed from any point": expect.stringMatching(
        /^A log cut after event \d+ continues differently\.$/,
      ) as string,
    });
  });

  it("describePolicy catches memory that all policies of a kind share", () => {
    let seen = 0;
    expect(
      Object.keys(
        results(() =>
          definePolicy({
            name: "global",
            decide: { "turn.started": () => nudge(String((seen += 1)), { episode: String(seen) }) },
          }),
        ).failed,
      ),
    ).toContain("gives the same log for the same events");
  });

  it.each([
    [
      "a number",
      (state: { n: number; map: Map<string, number>; set: Set<string> }) => {
        state.n += 1;
      },
    ],
    [
      "a map",
      (state: { n: number; map: Map<string, number>; set: Set<string> }) => {
        state.map.set("x", state.map.size);
      },
    ],
    [
      "a set",
      (state: { n: number; map: Map<string, number>; set: Set<string> }) => {
        state.set.add("x");
      },
    ],
  ])("describePolicy catches a state whose %s changes in decide", (_what, change) => {
    const cheating = () =>
      definePolicy({
        name: "cheating",
        initial: () => ({ n: 0, map: new Map<string, number>(), set: new Set<string>() }),
        decide: {
          "turn.started": (_run, state) => {
            change(state);
            return undefined;
          },
        },
      });
    expect(results(cheating).failed["changes nothing while deciding"]).toBe(
      'Its state changed in decide["turn.started"]; state changes in observe only.',
    );
  });

  it("describePolicy catches a policy that throws", () => {
    const throwing = () =>
      definePolicy({
        name: "throwing",
        decide: {
          "turn.started": (run) => {
            if (run.turn === 4) throw new Error("eek");
            return undefined;
          },
        },
      });
    expect(results(throwing).failed["never throws"]).toMatch(/^It threw: .*"message":"Error: eek"/);
  });

  it("describePolicy catches memory that grows with the run", () => {
    const growing = () =>
      definePolicy({
        name: "growing",
        initial: (): { files: string[] } => ({ files: [] }),
        observe: {
          "tool.finished": (state, { input }) => {
            state.files.push((input as { path: string }).path);
          },
        },
      });
    expect(results(growing).failed).toEqual({
      "keeps bounded memory": expect.stringMatching(
        /^Its state grew from \d+ to \d+ characters between 5,000 and 20,000 events\.$/,
      ) as string,
    });
  });

  it("describePolicy looks for growth in other events on request", () => {
    const growing = () =>
      definePolicy({
        name: "growing",
        initial: (): { said: string[] } => ({ said: [] }),
        observe: {
          "plan.declared": (state, { text = "" }) => {
            state.said.push(text);
          },
        },
      });
    expect(results(growing).failed).toEqual({});
    expect(
      Object.keys(results(growing, { endless: (n) => ({ type: "plan.declared", text: `plan ${String(n)}` }) }).failed),
    ).toEqual(["keeps bounded memory"]);
  });
});
