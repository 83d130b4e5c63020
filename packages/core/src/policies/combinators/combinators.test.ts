import { describe, expect, it } from "vitest";
import { loggedRun } from "../../__fixtures__/logged-run.ts";
import { alert, nudge, refuse, transition } from "../decision.ts";
import { definePhaseGraph } from "../../graph/phase-graph.ts";
import { budget } from "../budget.ts";
import { definePolicy, type Policy } from "../policy.ts";
import { defineState } from "../../view/run-view.ts";
import { buildRun, decideOn } from "../../testing.ts";
import { atMost } from "./at-most.ts";
import { cooldown } from "./cooldown.ts";
import { firstOf } from "./first-of.ts";
import { inPhase } from "./in-phase.ts";
import { mapDecisions } from "./map-decisions.ts";
import { named } from "./named.ts";
import { withMode } from "./with-mode.ts";

const graph = definePhaseGraph({ initial: "a", phases: { a: { next: ["b"] }, b: { next: ["a"] } } });
/** Nudges in every turn, each time as its own episode, and raises an alert beside it. */
const talker = (name = "talker"): Policy =>
  definePolicy({
    name,
    decide: {
      "turn.started": (run) => [
        nudge(`t${String(run.turn)}`, { episode: `t${String(run.turn)}` }),
        alert({ kind: "k" }),
      ],
    },
  });
const limits = { cooldownTurns: 0, perEntry: 99 };

/** The turns in which a policy spoke, of ten. */
function spokeIn(policy: Policy): readonly (number | undefined)[] {
  const { run, of } = loggedRun({ graph, policies: [policy], nudges: limits });
  for (let n = 0; n < 10; n += 1) run.record({ type: "turn.started" });
  expect(of("alert.raised")).toHaveLength(1);
  expect(of("alert.cleared")).toHaveLength(0);
  return of("nudge.sent").map(({ turn }) => turn);
}

describe("cooldown", () => {
  it.each([
    { turns: 0, spoke: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] },
    { turns: 1, spoke: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] },
    { turns: 2, spoke: [1, 3, 5, 7, 9] },
    { turns: 4, spoke: [1, 5, 9] },
  ])("cooldown of $turns turns lets the policy nudge in $spoke; other decisions pass", ({ turns, spoke }) => {
    expect(spokeIn(cooldown(talker(), { turns }))).toEqual(spoke);
  });

  it("cooldown applies to one policy: another's nudge does not start it", () => {
    const { run, of } = loggedRun({ policies: [talker("other"), cooldown(talker(), { turns: 3 })], nudges: limits });
    for (let n = 0; n < 4; n += 1) run.record({ type: "turn.started" });
    expect(
      of("nudge.sent")
        .filter(({ by }) => by === "talker")
        .map(({ turn }) => turn),
    ).toEqual([1, 4]);
  });
});

describe("atMost", () => {
  it.each([
    { times: 0, spoke: [] },
    { times: 1, spoke: [1] },
    { times: 3, spoke: [1, 2, 3] },
  ])("atMost $times times lets the policy nudge in $spoke; other decisions pass", ({ times, spoke }) => {
    expect(spokeIn(atMost(talker(), { times }))).toEqual(spoke);
  });
});

describe("atMost per episode", () => {
  it("atMost sends a nudge once though the policy decides it twice; other decisions pass", () => {
    const twice = definePolicy({
      name: "twice",
      decide: { "turn.started": () => [nudge("x", { times: 2 }), alert({ kind: "k" })] },
    });
    expect(spokeIn(twice)).toEqual([1, 2]);
    expect(spokeIn(atMost(twice, { times: 1, per: "episode" }))).toEqual([1]);
    expect(decideOn(atMost(twice, { times: 1, per: "episode" }), buildRun())[1]).toEqual(
      decideOn(twice, buildRun())[1],
    );
  });
});

describe("inPhase", () => {
  it("inPhase lets a policy decide in its phases only, and observe everywhere", () => {
    const seen: string[] = [];
    const watching = definePolicy({
      name: "watching",
      observe: {
        "turn.started": (_state, _event, run) => {
          seen.push(run.phase);
        },
      },
      decide: { "turn.started": () => nudge("x"), "tool.requested": () => refuse("no") },
    });
    const { run, of } = loggedRun({ graph, policies: [inPhase("b", watching)], nudges: limits });
    run.record({ type: "turn.started" });
    run.record({ type: "tool.requested", tool: "Read" });
    run.transition("b");
    run.record({ type: "turn.started" });
    run.record({ type: "tool.requested", tool: "Read" });
    expect(of("nudge.sent").map(({ turn }) => turn)).toEqual([2]);
    expect(of("tool.refused").map(({ turn }) => turn)).toEqual([2]);
    expect(seen).toEqual(["a", "b"]);
  });

  it("inPhase takes several phases, and adds them to those the policy mentions", () => {
    const mentions = definePolicy({ name: "p", mentions: ["a"], decide: { "turn.started": () => transition("a") } });
    expect(inPhase(["a", "b"], mentions).mentions).toEqual(["a", "b"]);
    expect(inPhase("b", talker()).mentions).toEqual(["b"]);
  });

  it("inPhase with a phase the graph lacks throws when the run is created", () => {
    expect(() => loggedRun({ graph: graph as never, policies: [inPhase("c", talker())] as never })).toThrow(
      'Policy "talker" mentions a phase the graph lacks: it has no phase "c".',
    );
  });
});

describe("named and withMode", () => {
  it("named gives a policy another name, so that it can be used twice", () => {
    const { run, of } = loggedRun({ policies: [talker(), named(talker(), "second")], nudges: limits });
    run.record({ type: "turn.started" });
    expect(of("nudge.sent").map(({ by }) => by)).toEqual(["talker", "second"]);
  });

  it("withMode gives a policy a mode of its own, and changes nothing else", () => {
    const policy = talker();
    expect(withMode(policy, "observe")).toEqual({ ...policy, mode: "observe" });
    const { run } = loggedRun({ policies: [withMode(policy, "observe")] });
    expect(run.beforeTurn().nudges).toEqual([]);
  });

  it("named and withMode wrap a combined policy in any order", () => {
    const both = withMode(named(cooldown(talker(), { turns: 2 }), "quiet"), "gate");
    expect(both).toMatchObject({ name: "quiet", mode: "gate" });
    const { run, of } = loggedRun({ policies: [both], nudges: limits });
    for (let n = 0; n < 4; n += 1) run.record({ type: "turn.started" });
    expect(of("nudge.sent").map(({ by, turn }) => [by, turn])).toEqual([
      ["quiet", 1],
      ["quiet", 3],
    ]);
  });

  it("atMost counts the nudges of the policy under its new name, and of no other policy", () => {
    const { run, of } = loggedRun({
      policies: [atMost(talker(), { times: 0 }), named(atMost(talker(), { times: 2 }), "second")],
      nudges: limits,
    });
    for (let n = 0; n < 4; n += 1) run.record({ type: "turn.started" });
    expect(
      of("nudge.sent")
        .filter(({ by }) => by === "second")
        .map(({ turn }) => turn),
    ).toEqual([1, 2]);
  });
});

describe("firstOf", () => {
  interface Count {
    n: number;
  }
  const key = defineState<Count>("test/first-of");
  const counting = (name: string, at: number): Policy<Count> =>
    definePolicy({
      name,
      key: name === "one" ? key : (undefined as never),
      initial: () => ({ n: 0 }),
      observe: {
        "progress.made": (state) => {
          state.n += 1;
        },
      },
      decide: {
        "turn.started": (_run, { n }) =>
          n >= at ? nudge(`${name} at ${String(n)}`, { episode: `${name}${String(n)}` }) : undefined,
      },
      wakeAt: () => at * 1000,
      guards: { [`${name}-open`]: (_run, { n }) => n >= at || `${name} is shut` },
    });

  it("firstOf takes the decisions of the first policy that has any; each keeps its own state", () => {
    const { run, of } = loggedRun({
      policies: [firstOf("pair", [counting("one", 2), counting("two", 1)])],
      nudges: limits,
    });
    for (let n = 0; n < 3; n += 1) {
      run.record({ type: "turn.started" });
      run.record({ type: "progress.made", what: "x" });
    }
    run.record({ type: "turn.started" });
    expect(of("nudge.sent").map(({ by, text }) => [by, text])).toEqual([
      ["pair", "two at 1"],
      ["pair", "one at 2"],
      ["pair", "one at 3"],
    ]);
  });

  it("firstOf lets every state be read by its key, and wakes at the earliest deadline", () => {
    const { run } = loggedRun({ policies: [firstOf("pair", [counting("two", 7), counting("one", 5)])] });
    run.record({ type: "progress.made", what: "x" });
    expect(run.view.read(key)).toEqual({ n: 1 });
    expect(run.wakeAt).toBe(5000);
    expect(loggedRun({ policies: [firstOf("none", [talker()])] }).run.wakeAt).toBeUndefined();
  });

  it("firstOf asks a policy only about events it decides on, and collects the phases", () => {
    const refusing = definePolicy({
      name: "refusing",
      mentions: ["a"],
      decide: { "tool.requested": () => refuse("no") },
    });
    const both = firstOf("both", [inPhase("b", talker()), refusing]);
    expect(both.mentions).toEqual(["b", "a"]);
    const { run, of } = loggedRun({ graph, policies: [both], nudges: limits });
    run.record({ type: "turn.started" });
    run.record({ type: "tool.requested", tool: "Read" });
    expect(of("nudge.sent")).toEqual([]);
    expect(of("tool.refused")).toHaveLength(1);
  });

  it("firstOf keeps the limits and the guards of its policies", () => {
    const guarded = definePhaseGraph({
      initial: "a",
      phases: { a: { next: [{ to: "b", guard: "two-open" }] }, b: { next: [] } },
    });
    const { run, of } = loggedRun({
      graph: guarded,
      policies: [firstOf("all", [budget({ turns: 5, tokens: 50 }), budget({ turns: 2 }), counting("two", 1)])],
    });
    expect(run.view.limits).toEqual({ turns: 2, tokens: 50 });
    expect(run.transition("b")).toBe(false);
    expect(of("phase.refused")[0]).toMatchObject({ why: "guard", text: "two is shut" });
    run.record({ type: "progress.made", what: "x" });
    expect(run.transition("b")).toBe(true);
    for (let n = 0; n < 3; n += 1) run.record({ type: "turn.started" });
    expect(run.view.stopped?.reason).toBe("turn_limit");
  });

  it("a cooldown inside firstOf counts the nudges of the whole", () => {
    const { run, of } = loggedRun({ policies: [firstOf("whole", [cooldown(talker(), { turns: 3 })])], nudges: limits });
    for (let n = 0; n < 5; n += 1) run.record({ type: "turn.started" });
    expect(of("nudge.sent").map(({ turn }) => turn)).toEqual([1, 4]);
  });

  it("firstOf forgets per cycle the state that is kept per cycle", () => {
    const cycle = definePhaseGraph({ initial: "a", phases: { a: { next: ["b"] }, b: { next: ["a"], fresh: true } } });
    const { run } = loggedRun({
      graph: cycle,
      policies: [
        firstOf("pair", [
          { ...counting("one", 9), resetOn: "fresh-phase" },
          { ...counting("two", 9), resetOn: "fresh-phase" },
        ]),
      ],
    });
    run.record({ type: "progress.made", what: "x" });
    run.transition("b");
    expect(run.view.read(key)).toEqual({ n: 0 });
  });
});

describe("mapDecisions", () => {
  it("mapDecisions passes the run, the state and the event, and may ask the policy or not", () => {
    const policy = definePolicy({
      name: "p",
      initial: () => ({ n: 3 }),
      decide: { "turn.started": (_run, { n }) => nudge(String(n)) },
    });
    const seen: unknown[] = [];
    const mapped = mapDecisions(policy, (decide, { run, state, event }) => {
      seen.push(run.turn, state, event.type);
      return event.type === "turn.started" && run.turn > 0 ? decide() : [];
    });
    expect(decideOn(mapped, buildRun())).toEqual([]);
    expect(decideOn(mapped, buildRun({ turn: 2 }))).toMatchObject([{ text: "3" }]);
    expect(seen).toEqual([0, { n: 3 }, "turn.started", 2, { n: 3 }, "turn.started"]);
  });

  it("mapDecisions keeps a policy without decisions as it is", () => {
    expect(mapDecisions({ name: "p" }, (decide) => decide())).toMatchObject({ name: "p", decide: {} });
    expect(mapDecisions({ name: "p", decide: { "turn.started": undefined } }, (decide) => decide()).decide).toEqual({});
  });
});

describe("firstOf, member by member", () => {
  const plain = definePolicy({ name: "plain", decide: { "turn.started": () => undefined } });
  const cyclic = definePolicy({ name: "cyclic", resetOn: "fresh-phase", initial: () => ({ seen: 0 }) });
  const timed = (at: number): Policy => definePolicy({ name: `timed-${String(at)}`, wakeAt: () => at });
  const watching = definePolicy({
    name: "watching",
    watchText: () => ({ push: (text) => (text.includes("!") ? { kind: "shout" } : undefined) }),
  });

  it("firstOf starts anew with a cycle only when all of its policies do", () => {
    expect(firstOf("both", [cyclic, cyclic]).resetOn).toBe("fresh-phase");
    expect(firstOf("one", [cyclic, plain]).resetOn).toBeUndefined();
  });

  it("firstOf wakes at the earliest deadline, and not at all without one", () => {
    const view = buildRun({ policies: [] });
    expect(firstOf("none", [plain, plain]).wakeAt?.(view, [] as never)).toBeUndefined();
    expect(firstOf("two", [timed(50), plain, timed(20)]).wakeAt?.(view, [] as never)).toBe(20);
  });

  it("firstOf watches text when one of its policies does", () => {
    expect(firstOf("silent", [plain, plain])).not.toHaveProperty("watchText");
    const watcher = firstOf("listening", [plain, watching]).watchText?.();
    expect(watcher?.push("hello")).toBeUndefined();
    expect(watcher?.push("hello!")).toEqual({ kind: "shout" });
  });

  it("firstOf shows events to the policies that observe them, and skips the others", () => {
    const seen: string[] = [];
    const observing = definePolicy({
      name: "observing",
      observe: {
        "progress.made": (_state, { what }) => {
          seen.push(what);
        },
      },
    });
    const { run, of } = loggedRun({ policies: [firstOf("mixed", [plain, observing])] });
    run.record({ type: "progress.made", what: "a" });
    expect(seen).toEqual(["a"]);
    expect(of("policy.failed")).toEqual([]);
  });
});
