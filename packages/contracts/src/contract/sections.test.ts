import { describe, expect, it } from "vitest";
import { findEmptySections, findMissingSections, readSections, sectionKey } from "./sections.ts";

const missing = (text: string, required: readonly string[] = ["risks"], aliases = {}): readonly string[] =>
  findMissingSections(text, required, { aliases }).map(({ section }) => section);

describe("sectionKey", () => {
  it.each([
    ["Problem Statement", "problem_statement"],
    ["Open-Questions", "open_questions"],
    ["  Relevant   Codepaths: ", "relevant_codepaths"],
    ["1. Risks", "risks"],
    ["2.1) Risks & Costs", "risks_costs"],
    ["RISKS", "risks"],
    ["_Risks_", "risks"],
  ])("%j is %j", (heading, key) => expect(sectionKey(heading)).toBe(key));
});

describe("findMissingSections", () => {
  it.each([
    { name: "a heading", text: "## Risks\n\nSome.\n", found: true },
    { name: "any level", text: "#### Risks\n\nSome.\n", found: true },
    { name: "a setext heading", text: "Risks\n-----\n\nSome.\n", found: true },
    { name: "emphasis and code in it", text: "## **Risks**\n\nx\n", found: true },
    { name: "a closing row of hashes", text: "## Risks ##\n\nx\n", found: true },
    { name: "after front matter", text: "---\ntitle: x\n---\n\n## Risks\n\nx\n", found: true },
    { name: "only a part of the word", text: "## Risk\n\nx\n", found: false },
    { name: "more than the word", text: "## Risks and costs\n\nx\n", found: false },
    { name: "inside a fence", text: "```md\n## Risks\n\nx\n```\n", found: false },
    { name: "inside a tilde fence that is not closed", text: "~~~\n## Risks\n\nx\n", found: false },
    { name: "indented as code", text: "text\n\n    ## Risks\n\nx\n", found: false },
    { name: "inside a comment", text: "<!--\n## Risks\n\nx\n-->\n", found: false },
    { name: "inside a comment that never ends", text: "<!--\n## Risks\n\nx\n", found: false },
    { name: "inside front matter", text: "---\n## Risks\n---\n\nx\n", found: false },
    { name: "inside a quote", text: "> ## Risks\n>\n> x\n", found: false },
    { name: "in bold, not as a heading", text: "**Risks**\n\nx\n", found: false },
    { name: "without a space", text: "##Risks\n\nx\n", found: false },
    { name: "in a comment that a tag lets begin", text: "<div>\n<!--\n\n## Risks\n\nx\n", found: false },
    { name: "inside a hidden element", text: "<div hidden>\n\n## Risks\n\nx\n\n</div>\n", found: false },
    { name: "inside closed details", text: "<details>\n\n## Risks\n\nx\n\n</details>\n", found: true },
    { name: "inside an attribute", text: '<div title="\n\n## Risks\n\nx\n\n"></div>\n', found: false },
    {
      name: "after an HTML block that a blank of another kind does not end",
      text: "<div>\n\u00a0\n## Risks\n\nx\n",
      found: false,
    },
    { name: "drawn with a Cyrillic letter", text: "## R\u0456sks\n\nx\n", found: false },
    { name: "in an HTML heading", text: "<h2>Risks</h2>\n\nx\n", found: false },
    { name: "an empty text", text: "", found: false },
  ])("$name: found $found", ({ text, found }) => {
    expect(missing(text)).toEqual(found ? [] : ["risks"]);
  });

  it("findMissingSections takes declared aliases and no others", () => {
    expect(missing("## Dangers\n\nx\n", ["risks"], { risks: ["dangers"] })).toEqual([]);
    expect(missing("## Dangers\n\nx\n", ["risks"], { costs: ["dangers"] })).toEqual(["risks"]);
    expect(missing("## Constructor\n\nx\n", ["constructor"])).toEqual([]);
  });

  it("findMissingSections says what was found instead", () => {
    expect(
      findMissingSections("## Problem\n\nx\n\n## Known Risks\n\nx\n", ["problem_statement", "risks", "constraints"]),
    ).toEqual([
      { section: "problem_statement", why: "absent", found: "Problem" },
      { section: "risks", why: "absent", found: "Known Risks" },
      { section: "constraints", why: "absent" },
    ]);
  });
});

describe("sections by substring", () => {
  const options = { match: "substring" } as const;
  it.each([
    { name: "a part of the name", text: "## Problem\n\nx\n", missing: [] },
    { name: "the name and more", text: "## The Problem Statement\n\nx\n", missing: [] },
    { name: "the name itself", text: "## Problem-Statement\n\nx\n", missing: [] },
    { name: "another word", text: "## Risks\n\nx\n", missing: ["problem_statement"] },
    { name: "a heading of marks alone", text: "## !!!\n\nx\n", missing: ["problem_statement"] },
  ])("$name", ({ text, missing }) => {
    expect(findMissingSections(text, ["problem_statement"], options).map(({ section }) => section)).toEqual(missing);
  });

  it("needs text below the heading, too", () => {
    expect(findEmptySections("## Problem\n", ["problem_statement"], options)).toHaveLength(1);
  });
});

describe("findEmptySections", () => {
  it.each([
    { name: "text", text: "## Risks\n\nNone.\n", empty: false },
    { name: "a list", text: "## Risks\n\n- one\n", empty: false },
    { name: "a table or code", text: "## Risks\n\n```\nx\n```\n", empty: false },
    { name: "text in a sub-section", text: "## Risks\n\n### Money\n\nSome.\n", empty: false },
    { name: "the second of two has text", text: "## Risks\n\n## Risks\n\nSome.\n", empty: false },
    { name: "nothing", text: "## Risks\n", empty: true },
    { name: "only the next section", text: "## Risks\n\n## Costs\n\nx\n", empty: true },
    { name: "only sub-headings", text: "## Risks\n\n### Money\n", empty: true },
    { name: "only a comment", text: "## Risks\n\n<!-- none -->\n", empty: true },
    { name: "only a rule", text: "## Risks\n\n---\n", empty: true },
    { name: "only tags", text: "## Risks\n\n<div>\n</div>\n", empty: true },
    { name: "only a zero-width space", text: "## Risks\n\n\u200b\n", empty: true },
    { name: "only &shy;", text: "## Risks\n\n&shy;\n", empty: true },
    { name: "only a Hangul filler", text: "## Risks\n\n\u3164\n", empty: true },
    { name: "only hidden text", text: '## Risks\n\n<div style="display:none">None.</div>\n', empty: true },
    { name: "only an image", text: "## Risks\n\n![None.](a.png)\n", empty: true },
    { name: "only a definition", text: "## Risks\n\n[none]: https://x.test\n", empty: true },
    { name: "no such section", text: "x", empty: false },
  ])("$name: $empty", ({ text, empty }) => {
    expect(findEmptySections(text, ["risks"]).length > 0).toBe(empty);
  });
});

describe("readSections", () => {
  it("readSections reads a long text in reasonable time", () => {
    const text = Array.from({ length: 500 }, (_, n) => `## Part ${n}\n\nText ${n}.\n`).join("\n");
    expect(readSections(text)).toHaveLength(500);
  });
});
