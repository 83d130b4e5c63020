import { describe, expect, it } from "vitest";
import { graphToMermaid } from "./graph-to-mermaid.ts";
import { definePhaseGraph, type PhaseGraph } from "./phase-graph.ts";

const line = (from: string, to: string): PhaseGraph => ({
  initial: from,
  phases: { [from]: { next: [to] }, [to]: { next: [], final: true } },
});

describe("graphToMermaid", () => {
  it("graphToMermaid draws phases, moves, conditions, ends and required visits", () => {
    const graph = definePhaseGraph({
      name: 'Review: "four eyes"',
      initial: "write",
      phases: {
        write: { next: ["review", { to: "publish", guard: "isUrgent", by: ["user"] }] },
        review: {
          next: [
            { to: "publish", by: ["judge", "user"] },
            { to: "write", guard: () => true },
          ],
        },
        publish: { next: [{ to: "write", fresh: true }], final: true },
      },
      required: [
        { after: "write", visit: "review", before: "end" },
        { after: "write", visit: "review", before: "publish" },
        { after: "review", visit: "publish", before: "end", when: "completed" },
      ],
    });
    expect(graphToMermaid(graph)).toMatchInlineSnapshot(`
      "---
      title: "Review: \\"four eyes\\""
      ---
      stateDiagram-v2
        state "write" as p0
        state "review" as p1
        state "publish" as p2
        [*] --> p0
        p0 --> p1
        p0 --> p2 : if isUrgent, by user
        p1 --> p2 : by judge or user
        p1 --> p0 : if a condition holds
        p2 --> p0 : new cycle
        p2 --> [*]
        note right of p0 : review before the end, review before publish
        note right of p1 : once completed publish before the end
      "
    `);
    expect(graphToMermaid(graph)).toBe(graphToMermaid(graph));
  });

  it("graphToMermaid names a guard that is a function by its name", () => {
    function isCalm(): boolean {
      return true;
    }
    expect(graphToMermaid({ initial: "a", phases: { a: { next: [{ to: "a", guard: isCalm }] } } })).toContain(
      "p0 --> p0 : if isCalm",
    );
  });

  it.each([
    ["end", '"end"'],
    ["two words", '"two words"'],
    ["__proto__", '"__proto__"'],
    ["état 日本", '"état 日本"'],
    ["plan-review", '"plan-review"'],
    ["line\n  break", '"line break"'],
    ['say "hi"', '"say #34;hi#34;"'],
    ["a:b;c", '"a#58;b#59;c"'],
    ["#35;", '"#35;35#59;"'],
    ["[*] --> x", '"#91;#42;#93; --#62; x"'],
    ["%%{init: {}}%%", '"#37;#37;#123;init#58; #123;#125;#125;#37;#37;"'],
    ["<script>", '"#60;script#62;"'],
    ["😀", '"#128512;"'],
    [" \n", '"(empty)"'],
    ["x".repeat(200), `"${"x".repeat(80)}"`],
  ])("graphToMermaid turns the name %j into the label %s and never into an id", (name, label) => {
    const lines = graphToMermaid(line(name, "other")).split("\n");
    expect(lines).toContain(`  state ${label} as p0`);
    expect(lines.filter((text) => !text.startsWith("  state "))).toEqual([
      "stateDiagram-v2",
      "  [*] --> p0",
      "  p0 --> p1",
      "  p1 --> [*]",
      "",
    ]);
  });

  it("graphToMermaid draws a phase the graph lacks as unknown", () => {
    const text = graphToMermaid({
      initial: "lost",
      phases: { a: { next: ["constructor"] } },
      required: [{ after: "gone", visit: "a", before: "end" }],
    });
    expect(text).toMatchInlineSnapshot(`
      "stateDiagram-v2
        state "a" as p0
        state "lost (unknown)" as p1
        state "constructor (unknown)" as p2
        state "gone (unknown)" as p3
        [*] --> p1
        p0 --> p2
        note right of p3 : a before the end
      "
    `);
  });
});
