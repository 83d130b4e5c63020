import { describe, expect, it } from "vitest";
import { checkGraph } from "./check-graph.ts";
import { type GraphIssueCode, renderGraphIssues } from "./graph-issue.ts";
import { definePhaseGraph, type PhaseSpec } from "./phase-graph.ts";

const end: PhaseSpec = { next: [], final: true };

const codes = (graph: unknown): readonly GraphIssueCode[] => checkGraph(graph).map(({ code }) => code);
const found = (graph: unknown): readonly string[] => checkGraph(graph).map(({ code, path }) => `${code} ${path}`);

/** A line a → b → c that ends in c, with the given phases put over it. */
const line = (
  phases: Readonly<Record<string, unknown>> = {},
  graph: Readonly<Record<string, unknown>> = {},
): unknown => ({
  initial: "a",
  phases: { a: { next: ["b"] }, b: { next: ["c"] }, c: end, ...phases },
  ...graph,
});

describe("checkGraph accepts", () => {
  it.each<[string, unknown]>([
    ["a line", line()],
    ["one phase", { initial: "only", phases: { only: end } }],
    ["a cycle with a way out", line({ b: { next: ["a", "c"] } })],
    ["a final phase that can go on", line({ c: { next: ["a"], final: true } })],
    [
      "phases named like members of every object",
      {
        initial: "constructor",
        phases: JSON.parse(
          `{ "constructor": { "next": ["__proto__"] },
             "__proto__": { "next": ["toString"] },
             "toString": { "next": [], "final": true } }`,
        ) as unknown,
        required: [{ after: "constructor", visit: "__proto__", before: "toString" }],
        inferred: JSON.parse('{ "__proto__": ["edit"], "toString": ["test"] }') as unknown,
      },
    ],
    [
      "two moves to one phase by different people",
      line({
        a: {
          next: [
            { to: "b", by: ["judge"] },
            { to: "b", by: ["user"], guard: "calm" },
          ],
        },
      }),
    ],
    [
      "two moves guarded by functions",
      line({
        a: {
          next: [
            { to: "b", guard: () => true },
            { to: "b", guard: () => false },
          ],
        },
      }),
    ],
    [
      "shares that sum to 1",
      line({ a: { next: ["b"], share: 0.1 }, b: { next: ["c"], share: 0.2 }, c: { ...end, share: 0.7 } }),
    ],
    ["a share of 0 and of 1", line({ a: { next: ["b"], share: 0 }, b: { next: ["c"], share: 1 } })],
    [
      "a phase that denies an activity which leads elsewhere",
      line({ a: { next: ["b"], activities: { deny: ["test"] } } }, { inferred: { b: ["edit"], c: ["test"] } }),
    ],
    [
      "a phase that denies some tools",
      line({ a: { next: ["b"], tools: { deny: ["write_*"] } } }, { inferred: { b: ["edit"] } }),
    ],
    [
      "a phase that denies the activity leading into itself",
      line({ b: { next: ["c"], activities: { deny: ["edit"] } } }, { inferred: { b: ["edit"] } }),
    ],
    ["a visit required before the end", line({}, { required: [{ after: "a", visit: "b", before: "end" }] })],
    [
      "a visit required before the phase itself comes again",
      line({ b: { next: ["a", "c"] } }, { required: [{ after: "a", visit: "b", before: "a" }] }),
    ],
    [
      "every field",
      line(
        {
          a: {
            next: [{ to: "b", guard: "calm", by: ["agent", "policy", "judge", "user", "host"], fresh: true }],
            purpose: "p",
            entry: ["e"],
            work: ["w"],
            exit: ["x"],
            constraints: ["c"],
            guidance: { default: "g", coder: "h" },
            notes: ["n"],
            agents: ["z"],
            tools: { allow: ["*"], deny: ["rm"] },
            activities: { deny: ["edit"] },
            model: "small",
            timeoutMs: 1,
            maxTurns: 1,
            share: 0.5,
            partial: true,
            final: false,
            fresh: true,
            waiting: false,
            data: { any: [null] },
          },
        },
        { name: "full", required: [{ after: "a", visit: "b", before: "c", when: "completed" }], inferred: {} },
      ),
    ],
  ])("checkGraph finds nothing in %s", (_what, graph) => {
    expect(checkGraph(graph)).toEqual([]);
  });

  it("checkGraph finds nothing in a graph whose phases are typed", () => {
    expect(
      checkGraph(definePhaseGraph({ initial: "a", phases: { a: { next: ["b"] }, b: { next: [], final: true } } })),
    ).toEqual([]);
  });
});

describe("checkGraph finds", () => {
  it.each<[string, unknown, readonly string[]]>([
    ["no phases", { initial: "a", phases: {} }, ["NO_PHASES phases"]],
    ["an unknown initial phase", line({}, { initial: "z" }), ["UNKNOWN_INITIAL initial"]],
    ["an initial phase that every object has", line({}, { initial: "constructor" }), ["UNKNOWN_INITIAL initial"]],
    ["an unknown target", line({ b: { next: ["c", "z"] } }), ["UNKNOWN_TARGET phases.b.next[1]"]],
    [
      "an unknown target that every object has",
      line({ b: { next: ["c", { to: "toString" }] } }),
      ["UNKNOWN_TARGET phases.b.next[1]"],
    ],
    ["an empty name of a phase", line({ b: { next: ["c", " "] }, " ": end }), ['EMPTY_NAME phases[""]']],
    ["an empty name of the graph", line({}, { name: "" }), ["EMPTY_NAME name"]],
    ["a move to itself", line({ b: { next: ["b", "c"] } }), ["SELF_EDGE phases.b.next[0]"]],
    ["the same move twice", line({ b: { next: ["c", "c"] } }), ["DUPLICATE_EDGE phases.b.next[1]"]],
    [
      "a conditional move beside an unconditional one",
      line({ b: { next: [{ to: "c", guard: "calm" }, "c"] } }),
      ["DUPLICATE_EDGE phases.b.next[1]"],
    ],
    [
      "the same conditional move twice",
      line({
        b: {
          next: [
            { to: "c", by: ["user"] },
            { by: ["user"], to: "c" },
          ],
        },
      }),
      ["DUPLICATE_EDGE phases.b.next[1]"],
    ],
    ["a phase nobody leads to", line({ z: { next: ["c"] } }), ["UNREACHABLE_PHASE phases.z"]],
    [
      "phases that lead only to each other",
      line({ y: { next: ["z"] }, z: { next: ["y", "c"] } }),
      ["UNREACHABLE_PHASE phases.y", "UNREACHABLE_PHASE phases.z"],
    ],
    ["a dead end", line({ a: { next: ["b", "z"] }, z: { next: [] } }), ["DEAD_END phases.z"]],
    [
      "a phase that only leads to itself",
      line({ a: { next: ["b", "z"] }, z: { next: ["z"] } }),
      ["SELF_EDGE phases.z.next[0]", "NO_WAY_TO_FINAL phases.z"],
    ],
    [
      "a trap of two phases",
      line({ a: { next: ["b", "y"] }, y: { next: ["z"] }, z: { next: ["y"] } }),
      ["NO_WAY_TO_FINAL phases.y", "NO_WAY_TO_FINAL phases.z"],
    ],
    ["no final phase, once", line({ c: { next: [] } }), ["NO_FINAL_PHASE phases"]],
    [
      "an actor nobody is",
      line({ a: { next: [{ to: "b", by: ["judge", "admin", "constructor"] }] } }),
      ["UNKNOWN_ACTOR phases.a.next[0].by", "UNKNOWN_ACTOR phases.a.next[0].by"],
    ],
    ["a move for nobody", line({ a: { next: [{ to: "b", by: [] }] } }), ["UNKNOWN_ACTOR phases.a.next[0].by"]],
    [
      "unknown phases in required",
      line({}, { required: [{ after: "x", visit: "y", before: "z" }] }),
      ["UNKNOWN_PHASE required[0].after", "UNKNOWN_PHASE required[0].visit", "UNKNOWN_PHASE required[0].before"],
    ],
    [
      "an unknown phase in inferred",
      line({}, { inferred: { z: ["edit"], toString: ["test"] } }),
      ["UNKNOWN_PHASE inferred.z", "UNKNOWN_PHASE inferred.toString"],
    ],
    [
      "shares above 1",
      line({ a: { next: ["b"], share: 0.6 }, b: { next: ["c"], share: 0.6 } }),
      ["SHARES_ABOVE_ONE phases"],
    ],
    ...[-0.1, 1.1, Number.NaN, "0.5"].map((share): [string, unknown, readonly string[]] => [
      `a share of ${JSON.stringify(share)}`,
      line({ a: { next: ["b"], share } }),
      ["BAD_SHARE phases.a.share"],
    ]),
    ...["timeoutMs", "maxTurns"].flatMap((field) =>
      [0, -1, Number.NaN, Infinity, "10"].map((value): [string, unknown, readonly string[]] => [
        `${field} of ${String(value)}`,
        line({ a: { next: ["b"], [field]: value } }),
        [`NOT_POSITIVE phases.a.${field}`],
      ]),
    ),
    [
      "a path with a name that is no word",
      line({ a: { next: ["b", "my phase"] }, "my phase": { next: [] } }),
      ['DEAD_END phases["my phase"]'],
    ],
  ])("checkGraph finds %s", (_what, graph, expected) => {
    expect(found(graph)).toEqual(expected);
  });

  it.each<[string, unknown, readonly string[]]>([
    [
      "the phase it comes after",
      line({}, { required: [{ after: "b", visit: "b", before: "end" }] }),
      ["REQUIRED_IMPOSSIBLE required[0]"],
    ],
    [
      "a phase no way leads to",
      line({}, { required: [{ after: "c", visit: "b", before: "end" }] }),
      ["REQUIRED_IMPOSSIBLE required[0]"],
    ],
    [
      "a phase behind the one that is closed",
      line({}, { required: [{ after: "a", visit: "c", before: "b" }] }),
      ["REQUIRED_IMPOSSIBLE required[0]"],
    ],
    [
      "the phase that waits for it",
      line({}, { required: [{ after: "a", visit: "b", before: "b" }] }),
      ["REQUIRED_WITHOUT_EFFECT required[0].before"],
    ],
    [
      "a phase before one that never comes",
      line({}, { required: [{ after: "b", visit: "c", before: "a" }] }),
      ["REQUIRED_WITHOUT_EFFECT required[0].before"],
    ],
    [
      "a phase before a phase called end",
      line({ c: { next: ["end"] }, end }, { required: [{ after: "a", visit: "b", before: "end" }] }),
      ["AMBIGUOUS_END required[0].before"],
    ],
  ])("checkGraph finds a required visit to %s", (_what, graph, expected) => {
    expect(found(graph)).toEqual(expected);
  });

  it("checkGraph finds no impossible visit when there is a way around the closed phase", () => {
    expect(codes(line({ a: { next: ["b", "c"] } }, { required: [{ after: "a", visit: "c", before: "b" }] }))).toEqual(
      [],
    );
  });

  it.each<[string, unknown, readonly string[]]>([
    ["by activity", { activities: { deny: ["edit", "test"] } }, ["INFERRED_DENIED phases.a.activities.deny"]],
    ["by denying all tools", { tools: { deny: ["*"] } }, ["INFERRED_DENIED phases.a.tools"]],
    ["by allowing no tool", { tools: { allow: [] } }, ["INFERRED_DENIED phases.a.tools"]],
    ["but not by denying a pattern that some tools fit", { tools: { deny: ["*_file", ""] } }, []],
    ["but not by allowing some tools", { tools: { allow: ["read_*"] } }, []],
  ])("checkGraph finds that a phase denies what leads out of it: %s", (_how, rules, expected) => {
    expect(found(line({ a: { next: ["b"], ...(rules as object) } }, { inferred: { b: ["edit"] } }))).toEqual(expected);
  });

  it("checkGraph finds every issue in one call", () => {
    expect(
      new Set(
        codes({
          initial: "z",
          surprise: true,
          phases: {
            a: { next: ["b", "b", "a"], share: 2 },
            b: { next: [] },
            c: { next: "a", final: true, maxTurns: 0 },
          },
          required: [{ after: "a", visit: "q", before: "end" }],
        }),
      ),
    ).toEqual(
      new Set([
        "UNKNOWN_FIELD",
        "BAD_SHARE",
        "WRONG_TYPE",
        "NOT_POSITIVE",
        "UNKNOWN_INITIAL",
        "DUPLICATE_EDGE",
        "SELF_EDGE",
        "NO_WAY_TO_FINAL",
        "DEAD_END",
        "UNKNOWN_PHASE",
      ]),
    );
  });
});

describe("checkGraph with data of the wrong type", () => {
  it.each<[string, unknown, readonly string[]]>([
    ...[undefined, null, 7, "graph", [], () => 1].map((graph): [string, unknown, readonly string[]] => [
      `the graph is ${typeof graph}`,
      graph,
      ["WRONG_TYPE graph"],
    ]),
    ["nothing is there", {}, ["WRONG_TYPE initial", "WRONG_TYPE phases"]],
    ["phases are a list", { initial: "a", phases: [end] }, ["WRONG_TYPE phases"]],
    ["the initial phase is a number", line({}, { initial: 1 }), ["WRONG_TYPE initial"]],
    ["a phase is nothing", line({ b: null }), ["WRONG_TYPE phases.b"]],
    ["a phase is a list", line({ b: ["c"] }), ["WRONG_TYPE phases.b"]],
    ["next is missing", line({ b: {} }), ["WRONG_TYPE phases.b.next"]],
    ["next is a text", line({ b: { next: "c" } }), ["WRONG_TYPE phases.b.next"]],
    ["a move is nothing", line({ b: { next: [null] } }), ["WRONG_TYPE phases.b.next[0]"]],
    ["a move has no target", line({ b: { next: [{ guard: "calm" }] } }), ["WRONG_TYPE phases.b.next[0].to"]],
    ["a guard is a number", line({ b: { next: [{ to: "c", guard: 1 }] } }), ["WRONG_TYPE phases.b.next[0].guard"]],
    ["by is a text", line({ b: { next: [{ to: "c", by: "user" }] } }), ["WRONG_TYPE phases.b.next[0].by"]],
    ["final is a text", line({ b: { next: ["c"], final: "yes" } }), ["WRONG_TYPE phases.b.final"]],
    ["a list of texts holds a number", line({ b: { next: ["c"], entry: ["a", 1] } }), ["WRONG_TYPE phases.b.entry"]],
    ["guidance is a list", line({ b: { next: ["c"], guidance: ["a"] } }), ["WRONG_TYPE phases.b.guidance"]],
    [
      "guidance by agent is a number",
      line({ b: { next: ["c"], guidance: { default: 1 } } }),
      ["WRONG_TYPE phases.b.guidance"],
    ],
    ["tools are a list", line({ b: { next: ["c"], tools: ["x"] } }), ["WRONG_TYPE phases.b.tools"]],
    ["denied tools are a text", line({ b: { next: ["c"], tools: { deny: "x" } } }), ["WRONG_TYPE phases.b.tools.deny"]],
    [
      "denied activities are nothing",
      line({ b: { next: ["c"], activities: { deny: null } } }),
      ["WRONG_TYPE phases.b.activities.deny"],
    ],
    ["a field is misspelt", line({ b: { next: ["c"], timeoutMS: 1 } }), ["UNKNOWN_FIELD phases.b.timeoutMS"]],
    [
      "a field is one every object has",
      line({ b: JSON.parse('{ "next": ["c"], "__proto__": 1 }') }),
      ["UNKNOWN_FIELD phases.b.__proto__"],
    ],
    ["required is an object", line({}, { required: { after: "a" } }), ["WRONG_TYPE required"]],
    ["a required visit is a text", line({}, { required: ["b"] }), ["WRONG_TYPE required[0]"]],
    [
      "a required visit lacks a part",
      line({}, { required: [{ after: "a", visit: "b" }] }),
      ["WRONG_TYPE required[0].before"],
    ],
    [
      "a required visit is due at another time",
      line({}, { required: [{ after: "a", visit: "b", before: "c", when: "left" }] }),
      ["WRONG_TYPE required[0].when"],
    ],
    ["inferred is a list", line({}, { inferred: ["edit"] }), ["WRONG_TYPE inferred"]],
    ["an inferred phase has a text", line({}, { inferred: { b: "edit" } }), ["WRONG_TYPE inferred.b"]],
    ["a name is a number", line({}, { name: 1 }), ["WRONG_TYPE name"]],
  ])("checkGraph reports wrong types and never throws: %s", (_what, graph, expected) => {
    expect(found(graph)).toEqual(expected);
  });

  it("checkGraph reads a large graph quickly", () => {
    const phases = Object.fromEntries(
      Array.from({ length: 5000 }, (_, index) => [`p${String(index)}`, { next: [`p${String(index + 1)}`, "p0"] }]),
    );
    expect(codes({ initial: "p0", phases: { ...phases, p5000: end } })).toEqual(["SELF_EDGE"]);
  });
});

describe("renderGraphIssues", () => {
  it("renderGraphIssues lists the issues, errors first", () => {
    const graph = {
      initial: "start",
      phases: {
        plan: { next: ["plan", "biuld"], maxTurns: 0 },
        build: { next: "ship", tools: { deny: ["*"] } },
        'ship "it"\n\u202e': { next: [], final: true, shares: 0.5 },
      },
      required: [{ after: "plan", visit: "plan", before: "end" }],
    };
    const wrapped = renderGraphIssues(checkGraph(graph)).replaceAll(/(.{60,100}?) (?=.{25})/g, "$1\n  ");
    expect(wrapped).toMatchInlineSnapshot(`
      "The graph has 6 errors and 2 warnings.
      error at phases.plan.maxTurns: Expected a number above 0, found 0. (NOT_POSITIVE)
      error at phases.build.next: Expected a list, found the text "ship". (WRONG_TYPE)
      error at initial: The graph has no phase "start". Use one of:
        "plan", "build", "ship 'it'". (UNKNOWN_INITIAL)
      error at phases.plan.next[1]: "plan" leads to "biuld", which
        the graph lacks. Use one of: "plan", "build", "ship 'it'". (UNKNOWN_TARGET)
      error at phases.plan: No way leads from "plan" to a final phase.
        Add a move, or mark a phase with final: true. (NO_WAY_TO_FINAL)
      error at required[0]: After "plan" a visit to "plan" is owed,
        but entering it makes the same debt again. (REQUIRED_IMPOSSIBLE)
      warning at phases["ship 'it'"].shares: Unknown field. Use one
        of: next, purpose, entry, work, exit, constraints, guidance,
        notes, agents, tools, activities, model, timeoutMs, maxTurns,
        share, partial, final, fresh, waiting, data. (UNKNOWN_FIELD)
      warning at phases.plan.next[0]: "plan" leads to itself: each
        such move begins a new stay. Leave it out if that is not meant. (SELF_EDGE)"
    `);
  });

  it.each([
    [[], "The graph has no issues."],
    [
      checkGraph(line({ c: { next: [] } })),
      "The graph has 0 errors and 1 warning.\n" +
        "warning at phases: No phase is final, so nothing says where a run may end. " +
        "Mark one with final: true. (NO_FINAL_PHASE)",
    ],
  ])("renderGraphIssues counts errors and warnings", (issues, expected) => {
    expect(renderGraphIssues(issues)).toBe(expected);
  });
});
