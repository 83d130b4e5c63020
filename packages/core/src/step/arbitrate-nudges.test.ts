import { describe, expect, it } from "vitest";
import { loggedRun } from "../__fixtures__/logged-run.ts";
import { arbitrateNudges, type NudgeLimits, type Proposal } from "./arbitrate-nudges.ts";
import { nudge, stop } from "../policies/decision.ts";
import { definePhaseGraph } from "../graph/phase-graph.ts";
import { definePolicy, type Policy } from "../policies/policy.ts";
import { identity, ViewState } from "../view/view-state.ts";

const view = (members: Partial<ViewState> = {}): ViewState =>
  Object.assign(new ViewState({ id: "run", graph: { initial: "a", phases: { a: { next: [] } } }, mode: "nudge" }), {
    turn: 10,
    phaseEntry: "a#1",
    ...members,
  });
const says = (policy: string, options: Parameters<typeof nudge>[1] & { readonly text?: string } = {}): Proposal => {
  const { text = policy, ...rest } = options;
  return { policy, nudge: nudge(text, rest) };
};
const order = (proposals: readonly Proposal[], limits: NudgeLimits = {}): readonly string[] =>
  arbitrateNudges(view(), proposals, limits).accepted.map(({ policy }) => policy);

/** A run whose policy says something in every turn that `when` allows. */
function speaking(
  when: (turn: number) => boolean,
  { limits = {}, ...options }: Parameters<typeof nudge>[1] & { readonly limits?: NudgeLimits } = {},
) {
  const speaker = definePolicy({
    name: "speaker",
    decide: { "turn.started": (run) => (when(run.turn) ? nudge("Say it.", options) : undefined) },
  });
  const logged = loggedRun({ policies: [speaker], nudges: limits });
  const turns = (count: number): readonly boolean[] =>
    Array.from({ length: count }, () => {
      const spoke = logged.run.beforeTurn().nudges.length > 0;
      logged.run.record({ type: "model.answered" });
      return spoke;
    });
  return { ...logged, turns };
}
const turnsOf = (spoke: readonly boolean[]): readonly number[] =>
  spoke.flatMap((yes, index) => (yes ? [index + 1] : []));

describe("the order of nudges", () => {
  it.each<[string, readonly Proposal[], NudgeLimits, readonly string[]]>([
    ["the order of the policies when nobody cares", [says("a"), says("b"), says("c")], {}, ["a", "b", "c"]],
    [
      "highest priority first",
      [says("low", { priority: -1 }), says("high", { priority: 5 }), says("mid")],
      {},
      ["high", "mid", "low"],
    ],
    [
      "a configured priority beats the policy's own",
      [says("recitation", { priority: 5 }), says("custom", { priority: 3 })],
      { priorities: { custom: 9 } },
      ["custom", "recitation"],
    ],
    ["also when it lowers it", [says("a", { priority: 5 }), says("b")], { priorities: { a: -1 } }, ["b", "a"]],
    [
      "a policy called like a member of every object has no configured priority",
      [says("toString", { priority: 1 }), says("b")],
      { priorities: {} },
      ["toString", "b"],
    ],
  ])("the order of nudges is %s", (...[, proposals, limits, expected]) => {
    expect(order(proposals, limits)).toEqual(expected);
  });
});

describe("topics", () => {
  it("only the nudge with the highest priority on a topic is sent; the others are dropped", () => {
    const { accepted, dropped } = arbitrateNudges(
      view(),
      [
        says("weak", { topic: "loop" }),
        says("strong", { topic: "loop", priority: 1 }),
        says("other", { topic: "budget" }),
      ],
      {},
    );
    expect(accepted.map(({ policy }) => policy)).toEqual(["strong", "other"]);
    expect(dropped).toEqual([{ policy: "weak", episode: "a#1", why: "topic" }]);
  });

  it("a nudge already sent in its episode still holds its topic", () => {
    const said = view({ episodes: new Map([[identity("strong", "a#1"), 1]]) });
    const { accepted, dropped } = arbitrateNudges(
      said,
      [says("weak", { topic: "loop" }), says("strong", { topic: "loop", priority: 1 })],
      {},
    );
    expect(accepted).toEqual([]);
    expect(dropped).toEqual([{ policy: "weak", episode: "a#1", why: "topic" }]);
  });

  it("a nudge in its cooldown does not hold its topic", () => {
    const cooling = view({ spokeAt: new Map([["strong", 9]]) });
    const { accepted } = arbitrateNudges(
      cooling,
      [says("weak", { topic: "loop" }), says("strong", { topic: "loop", priority: 1 })],
      {},
    );
    expect(accepted.map(({ policy }) => policy)).toEqual(["weak"]);
  });
});

describe("one episode", () => {
  it("a nudge is sent once per episode, however often it is decided", () => {
    expect(turnsOf(speaking(() => true).turns(12))).toEqual([1]);
  });

  it.each([
    { times: 1, perEpisode: undefined, heard: 1 },
    { times: 2, perEpisode: undefined, heard: 2 },
    { times: 9, perEpisode: undefined, heard: 2 },
    { times: 9, perEpisode: 3, heard: 3 },
    { times: 2, perEpisode: 0, heard: 0 },
  ])(
    "a nudge decided $times times with a limit of $perEpisode is sent $heard times",
    ({ times, perEpisode, heard }) => {
      const { turns, of } = speaking(() => true, {
        times,
        limits: { ...(perEpisode !== undefined && { perEpisode }) },
      });
      turns(20);
      expect(of("nudge.sent").length).toBe(heard);
    },
  );

  it("an episode is the phase entry unless the policy names another: a new entry, a new episode", () => {
    const graph = definePhaseGraph({ initial: "a", phases: { a: { next: ["b"] }, b: { next: ["a"] } } });
    const { run, of } = loggedRun({
      graph,
      nudges: { cooldownTurns: 0 },
      policies: [definePolicy({ name: "p", decide: { "turn.started": () => nudge("x") } })],
    });
    for (const to of ["b", "a", "b"] as const) {
      run.record({ type: "turn.started" });
      run.record({ type: "turn.started" });
      run.transition(to);
    }
    expect(of("nudge.sent").map(({ episode }) => episode)).toEqual(["a#1", "b#1", "a#2"]);
  });

  it("silence inside an episode is not a drop", () => {
    const { turns, of } = speaking(() => true);
    turns(10);
    expect(of("nudge.dropped")).toEqual([]);
  });
});

describe("cooldown", () => {
  it.each([
    { cooldownTurns: undefined, second: 4 },
    { cooldownTurns: 0, second: 2 },
    { cooldownTurns: 1, second: 2 },
    { cooldownTurns: 5, second: 6 },
  ])("a cooldown of $cooldownTurns turns lets a policy send again in turn $second", ({ cooldownTurns, second }) => {
    const { turns, of } = speaking(() => true, {
      times: 2,
      limits: { ...(cooldownTurns !== undefined && { cooldownTurns }) },
    });
    expect(turnsOf(turns(10))).toEqual([1, second]);
    expect(of("nudge.dropped").map(({ why }) => why)).toEqual(second > 2 ? ["cooldown"] : []);
  });

  it("a cooldown applies to one policy only", () => {
    const { accepted, dropped } = arbitrateNudges(view({ spokeAt: new Map([["a", 8]]) }), [says("a"), says("b")], {});
    expect(accepted.map(({ policy }) => policy)).toEqual(["b"]);
    expect(dropped).toEqual([{ policy: "a", episode: "a#1", why: "cooldown" }]);
  });
});

describe("the cap of a phase entry", () => {
  it.each([
    { perEntry: undefined, sent: 5 },
    { perEntry: 2, sent: 2 },
  ])("a cap of $perEntry lets $sent of seven nudges through", ({ perEntry, sent }) => {
    const policies = Array.from({ length: 7 }, (_, n): Policy =>
      definePolicy({ name: `p${String(n)}`, decide: { "turn.started": () => nudge(`n${String(n)}`) } }),
    );
    const { run, of } = loggedRun({ policies, nudges: { ...(perEntry !== undefined && { perEntry }) } });
    run.record({ type: "turn.started" });
    expect(of("nudge.sent")).toHaveLength(sent);
    expect(of("nudge.dropped").map(({ why }) => why)).toEqual(Array.from({ length: 7 - sent }, () => "cap"));
  });

  it("the cap starts again with the next entry, and does not count guidance", () => {
    const graph = definePhaseGraph({ initial: "a", phases: { a: { next: ["b"] }, b: { next: ["a"] } } });
    const guide = definePolicy({
      name: "guide",
      decide: { "turn.started": (run) => nudge("guide", { guidance: true, episode: `t${String(run.turn)}` }) },
    });
    const talk = definePolicy({
      name: "talk",
      decide: { "turn.started": (run) => nudge("talk", { episode: `t${String(run.turn)}` }) },
    });
    const { run, of } = loggedRun({ graph, policies: [guide, talk], nudges: { perEntry: 2, cooldownTurns: 0 } });
    for (let n = 0; n < 4; n += 1) run.record({ type: "turn.started" });
    expect(of("nudge.sent").map(({ by }) => by)).toEqual(["guide", "talk", "guide", "talk", "guide", "guide"]);
    run.transition("b");
    run.record({ type: "turn.started" });
    expect(of("nudge.sent").at(-1)?.by).toBe("talk");
  });
});

describe("the allowance of a turn", () => {
  const long = (length: number): string => "x".repeat(length);

  it.each([
    {
      what: "what fits is sent whole",
      tokens: 500,
      lengths: [1000, 1000],
      sent: [1000, 1000],
      shortened: [false, false],
      dropped: [],
    },
    {
      what: "what fits in part is shortened and marked",
      tokens: 500,
      lengths: [1200, 1200],
      sent: [1200, 800],
      shortened: [false, true],
      dropped: [],
    },
    {
      what: "with 100 tokens left it is still shortened",
      tokens: 500,
      lengths: [1600, 1200],
      sent: [1600, 400],
      shortened: [false, true],
      dropped: [],
    },
    {
      what: "with fewer than 100 tokens left it is dropped",
      tokens: 500,
      lengths: [1601, 1200],
      sent: [1601],
      shortened: [false],
      dropped: ["p1"],
    },
    {
      what: "a short one still fits where a long one does not",
      tokens: 500,
      lengths: [1900, 1200, 50],
      sent: [1900, 50],
      shortened: [false, false],
      dropped: ["p1"],
    },
    {
      what: "the default is 1,500 tokens",
      tokens: undefined,
      lengths: [6001],
      sent: [6000],
      shortened: [true],
      dropped: [],
    },
  ])("the allowance of a turn: $what", ({ tokens, lengths, sent, shortened, dropped }) => {
    const proposals = lengths.map((length, n) => says(`p${String(n)}`, { text: long(length) }));
    const result = arbitrateNudges(view(), proposals, { ...(tokens !== undefined && { tokensPerTurn: tokens }) });
    expect(result.accepted.map(({ text }) => text.length)).toEqual(sent);
    expect(result.accepted.map((accepted) => accepted.shortened)).toEqual(shortened);
    expect(result.dropped.map(({ policy, why }) => [policy, why])).toEqual(
      dropped.map((policy) => [policy, "allowance"]),
    );
    for (const { text, shortened: cut } of result.accepted) expect(text.endsWith("\n… [shortened]")).toBe(cut);
  });

  it("the allowance is given by priority, not by order", () => {
    const { accepted } = arbitrateNudges(
      view(),
      [says("low", { text: long(1200) }), says("high", { text: long(1200), priority: 1 })],
      { tokensPerTurn: 500 },
    );
    expect(accepted.map(({ policy, shortened }) => [policy, shortened])).toEqual([
      ["high", false],
      ["low", true],
    ]);
  });

  it("the allowance does not cut an emoji in half", () => {
    for (const lead of ["", "x"]) {
      const [accepted] = arbitrateNudges(view(), [says("p", { text: `${lead}${"😀".repeat(500)}` })], {
        tokensPerTurn: 200,
      }).accepted;
      expect(accepted?.shortened).toBe(true);
      expect(accepted?.text).not.toMatch(/[\ud800-\udbff](?![\udc00-\udfff])/);
    }
  });
});

describe("a drop", () => {
  it("a drop is recorded once per policy, episode and cause", () => {
    const { run, of } = loggedRun({
      policies: [
        definePolicy({ name: "a", decide: { "turn.started": () => nudge("a", { topic: "t", priority: 1 }) } }),
        definePolicy({
          name: "b",
          decide: { "turn.started": (view) => nudge("b", { topic: "t", episode: view.turn < 5 ? "one" : "two" }) },
        }),
      ],
    });
    for (let n = 0; n < 8; n += 1) run.record({ type: "turn.started" });
    expect(of("nudge.dropped").map(({ by, episode, why }) => [by, episode, why])).toEqual([
      ["b", "one", "topic"],
      ["b", "two", "topic"],
    ]);
  });
});

describe("guidance", () => {
  it("guidance is outside cooldown and cap, but inside its episode and the allowance", () => {
    const busy = view({ spokeAt: new Map([["p", 9]]), sentInEntry: 99 });
    const guide = (text: string): Proposal => says("p", { text, guidance: true });
    expect(arbitrateNudges(busy, [guide("x")], {}).accepted).toHaveLength(1);
    expect(arbitrateNudges(busy, [says("q", { text: "y".repeat(5900) }), guide("x")], {}).accepted).toHaveLength(1);
    expect(
      arbitrateNudges(view(), [says("q", { text: "y".repeat(5900) }), guide("x".repeat(200))], {}).dropped,
    ).toEqual([{ policy: "p", episode: "a#1", why: "allowance" }]);
    expect(
      arbitrateNudges(view({ episodes: new Map([[identity("p", "a#1"), 1]]) }), [guide("x")], {}).accepted,
    ).toEqual([]);
  });
});

describe("a nudge that was lost", () => {
  it("a lost nudge is sent once more in the next turn, whatever its cooldown", () => {
    const { run, turns, of } = speaking(() => true);
    turns(1);
    const [first] = of("nudge.sent");
    expect(run.record({ type: "nudge.lost", nudge: first?.nudge ?? "" })).toBe(true);
    expect(turnsOf(turns(6))).toEqual([1]);
    expect(of("nudge.sent").map(({ nudge: id }) => id)).toEqual(["nudge-1", "nudge-2"]);
    expect(of("nudge.settled")).toEqual([]);
  });

  it("a lost nudge no longer counts as delivered, and frees one of several sends", () => {
    const { run, of } = loggedRun({
      policies: [definePolicy({ name: "p", decide: { "turn.started": () => nudge("x", { times: 2 }) } })],
      nudges: { cooldownTurns: 0 },
    });
    const turns = (count: number): void => {
      for (let n = 0; n < count; n += 1) run.record({ type: "turn.started" });
    };
    turns(2);
    run.record({ type: "nudge.lost", nudge: "nudge-2" });
    expect(run.view.nudges.map(({ text, applied }) => [text, applied])).toEqual([
      ["x", true],
      ["x", false],
    ]);
    turns(3);
    expect(of("nudge.sent")).toHaveLength(3);
  });

  it("a lost nudge that is unknown or settled changes nothing", () => {
    const { run, turns, of } = speaking((turn) => turn === 1);
    turns(2);
    expect(of("nudge.settled")).toHaveLength(1);
    run.record({ type: "nudge.lost", nudge: "nudge-1" });
    run.record({ type: "nudge.lost", nudge: "nudge-99" });
    turns(3);
    expect(of("nudge.sent")).toHaveLength(1);
  });
});

describe("a nudge is settled", () => {
  it("a nudge did not help if its policy stops the run instead", () => {
    const breaker = definePolicy({
      name: "breaker",
      decide: {
        "turn.started": (run) => (run.turn < 3 ? nudge("Stop that.") : stop({ reason: "aborted_stagnation" })),
      },
    });
    const { run, of } = loggedRun({ mode: "gate", policies: [breaker] });
    for (let turn = 0; turn < 3; turn += 1) {
      run.beforeTurn();
      run.record({ type: "model.answered" });
    }
    expect(of("nudge.settled").map(({ helped }) => helped)).toEqual([false]);
  });

  it("a nudge is settled as helped when its policy no longer decides it", () => {
    const { turns, of } = speaking((turn) => turn < 4);
    turns(5);
    expect(of("nudge.settled")).toMatchObject([{ by: "speaker", nudge: "nudge-1", helped: true, turn: 4 }]);
  });

  it.each([
    { mode: "nudge", applied: undefined },
    { mode: "observe", applied: false },
  ] as const)("a nudge that is settled in mode $mode says whether it was sent", ({ mode, applied }) => {
    const speaker = definePolicy({
      name: "p",
      decide: { "turn.started": ({ turn }) => (turn === 1 ? nudge("x") : undefined) },
    });
    const { run, of } = loggedRun({ mode, policies: [speaker] });
    run.record({ type: "turn.started" });
    run.record({ type: "turn.started" });
    expect(of("nudge.settled").map((event) => event.applied)).toEqual([applied]);
  });

  it("a nudge is settled as not helped when its policy decides it again", () => {
    const { turns, of } = speaking(() => true, { times: 2 });
    turns(4);
    expect(of("nudge.settled")).toMatchObject([{ nudge: "nudge-1", helped: false, turn: 4 }]);
    expect(of("nudge.sent").map(({ nudge: id }) => id)).toEqual(["nudge-1", "nudge-2"]);
  });

  it("a nudge is not settled while its cause holds, or when its policy failed", () => {
    expect(speaking(() => true).of("nudge.settled")).toEqual([]);
    const holding = speaking(() => true);
    holding.turns(6);
    expect(holding.of("nudge.settled")).toEqual([]);
    const { run, of } = loggedRun({
      policies: [
        definePolicy({
          name: "p",
          decide: {
            "turn.started": (view) => {
              if (view.turn === 1) return nudge("x");
              throw new Error("no");
            },
          },
        }),
      ],
    });
    run.record({ type: "turn.started" });
    run.record({ type: "turn.started" });
    expect(of("nudge.settled")).toEqual([]);
  });

  it("guidance is never settled", () => {
    const { turns, of } = speaking((turn) => turn === 1, { guidance: true });
    turns(3);
    expect(of("nudge.sent")).toMatchObject([{ guidance: true }]);
    expect(of("nudge.settled")).toEqual([]);
  });
});

// From shared/cases/seed_cases.json (attocode, nudge.budget). Their lower number is the higher priority; ours the
// higher.
describe("seed cases nudge.budget", () => {
  it("a partly fitting reminder is shortened and marked", () => {
    const { accepted } = arbitrateNudges(
      view(),
      [
        says("first", { text: "x".repeat(1200), priority: 0 }),
        says("second", { text: "x".repeat(1200), priority: -1 }),
      ],
      { tokensPerTurn: 500 },
    );
    expect(accepted).toHaveLength(2);
    expect(accepted.filter(({ shortened }) => shortened).map(({ policy }) => policy)).toEqual(["second"]);
  });

  it("configured slot priority beats the caller's", () => {
    expect(
      order([says("recitation", { priority: -3 }), says("custom", { priority: -5 })], { priorities: { custom: 0 } })[0],
    ).toBe("custom");
  });

  it("accepted reminders come out in priority order", () => {
    expect(
      order([says("recitation"), says("budget_warning"), says("loop")], {
        tokensPerTurn: 5000,
        priorities: { budget_warning: 3, loop: 2, recitation: 1 },
      }),
    ).toEqual(["budget_warning", "loop", "recitation"]);
  });
});
