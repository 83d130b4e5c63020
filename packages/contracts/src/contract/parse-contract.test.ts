import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { renderContractIssues } from "./contract-issue.ts";
import { parseContract } from "./parse-contract.ts";
import { renderContractPrompt } from "./render-contract-prompt.ts";

const RESEARCH = `---
phase: research
contract_version: 1
dispatch_profile: researcher
model: sonnet
artifact_type: research_brief
artifact_path: "docs/tickets/{identifier}/research.md"
required_sections:
  - problem_statement
  - open_questions
section_aliases:
  problem_statement: [problem]
done_when:
  - artifact_exists
  - The recommendation names one way
next_phase: architecture
validation:
  mode: structural
  structural_checks:
    - artifact_exists
  escalate_if:
    - security_sensitive
expiry: 45m
judge_timeout: 90s
max_rejections: 3
max_runs: 15
min_length: 200
allow_promote_to:
  - docs/research
---

Find out what the problem is.
`;
const base = "phase: research\ncontract_version: 1\nnext_phase: null";
const contract = (yaml: string): string => `---\n${yaml}\n---\nDo it.\n`;
const issues = (text: string): string => renderContractIssues(parseContract(text, { file: "research.md" }).issues);

describe("parseContract", () => {
  it("parseContract reads every field", () => {
    const { contract: parsed, issues: none } = parseContract(RESEARCH, { file: "research.md" });
    expect(none).toEqual([]);
    const { hash, ...rest } = parsed!;
    expect(hash).toBe(createHash("sha256").update(RESEARCH).digest("hex"));
    expect(rest).toMatchInlineSnapshot(`
      {
        "allow_promote_to": [
          "docs/research",
        ],
        "artifact_path": "docs/tickets/{identifier}/research.md",
        "artifact_type": "research_brief",
        "body": "Find out what the problem is.",
        "contract_version": 1,
        "dispatch_profile": "researcher",
        "done_when": [
          "artifact_exists",
          "The recommendation names one way",
        ],
        "expiry": 2700000,
        "file": "research.md",
        "judge_timeout": 90000,
        "max_rejections": 3,
        "max_runs": 15,
        "min_length": 200,
        "model": "sonnet",
        "next_phase": "architecture",
        "phase": "research",
        "required_sections": [
          "problem_statement",
          "open_questions",
        ],
        "section_aliases": {
          "problem_statement": [
            "problem",
          ],
        },
        "section_match": "exact",
        "validation": {
          "escalate_if": [
            "security_sensitive",
          ],
          "mode": "structural",
          "structural_checks": [
            "artifact_exists",
          ],
        },
      }
    `);
  });

  it("parseContract fills in the documented defaults", () => {
    expect(parseContract(contract(base)).contract).toMatchObject({
      expiry: 1_800_000,
      max_runs: 15,
      max_rejections: 5,
      validation: { mode: "structural" },
      required_sections: [],
    });
  });

  it("parseContract says every mistake at once, where it is", () => {
    expect(
      issues(
        contract(
          "phase: Research\ncontract_version: 0\nnext_phase: architecture\nartifact_path: /etc/passwd\nvalidation:\n  mode: judg\n  strict: true\nrequired_sections:\n  - ok_section\n  - ''\ncolour: red",
        ),
      ),
    ).toMatchInlineSnapshot(`
      "research.md:2:1 error: phase: a phase name is a lower-case letter, then lower-case letters, digits, _ or -
      research.md:3:1 error: contract_version: versions begin at 1
      research.md:5:1 error: artifact_path: the path is not relative to the root
      research.md:11:5 error: required_sections.1: a name is lower case with underscores, such as problem_statement
      research.md:7:3 error: validation.mode: expected one of "structural"|"judge"|"trust"
      research.md:8:3 error: unknown field "strict"
      research.md:12:1 error: unknown field "colour""
    `);
  });

  it("parseContract says what is missing, and goes on after a number that is not plain", () => {
    expect(
      issues(
        contract(
          "phase: research\ncontract_version: 1\nnext_phaze: ready\nmax_runs: -3\nmin_length: 1.5\nvalidation: {mode: strict}",
        ),
      ),
    ).toMatchInlineSnapshot(`
      "research.md:5:11 error: -3 is not a plain whole number
      research.md:6:13 error: 1.5 is not a plain whole number
      research.md:2:1 error: next_phase: is missing
      research.md:7:14 error: validation.mode: expected one of "structural"|"judge"|"trust"
      research.md:4:1 error: unknown field "next_phaze""
    `);
  });

  it.each([
    // A20: only a JSON-like subset
    { name: "an anchor", yaml: `${base}\nmodel: &m sonnet`, says: "5:11 error: anchors" },
    { name: "an alias", yaml: `${base}\nmodel: &m sonnet\nartifact_type: *m`, says: "6:16 error: aliases" },
    { name: "a merge key", yaml: `${base}\n<<: {model: x}`, says: "5:1 error: merge keys" },
    { name: "a tag", yaml: `${base}\nmodel: !!str sonnet`, says: "5:14 error: tags" },
    { name: "a custom tag", yaml: `${base}\nmodel: !run x`, says: "error:" },
    { name: "a directive", yaml: `%YAML 1.2\n${base}`, says: "error: directives" },
    { name: "a second document", yaml: `${base}\n...\nphase: other`, says: "error:" },
    // A21: prototypes
    { name: "__proto__", yaml: `${base}\n__proto__: {polluted: true}`, says: '5:1 error: the key "__proto__"' },
    {
      name: "constructor, deep",
      yaml: `${base}\nvalidation:\n  constructor: {prototype: {polluted: true}}`,
      says: '6:3 error: the key "constructor"',
    },
    // A24
    { name: "a key twice", yaml: `${base}\nnext_phase: ready`, says: "5:1 error: Map keys must be unique" },
    // A25
    ...["1.0", '"1"', "0x1", "0o1", "1_000", ".nan", ".inf", "1e0", "+1", "-1", "true", "null", "01"].map(
      (version) => ({
        name: `contract_version ${version}`,
        yaml: `phase: research\ncontract_version: ${version}\nnext_phase: null`,
        says: "research.md:3:",
      }),
    ),
    { name: "no contract_version", yaml: "phase: research\nnext_phase: null", says: "error: contract_version" },
    { name: "no next_phase", yaml: "phase: research\ncontract_version: 1", says: "error: next_phase" },
    // A26, A27
    { name: "an unknown field", yaml: `${base}\nowner: me`, says: '5:1 error: unknown field "owner"' },
    { name: "an empty section", yaml: `${base}\nrequired_sections: [""]`, says: "5:21 error" },
    { name: "a one-letter section", yaml: `${base}\nartifact_path: a.md\nrequired_sections: [r]`, says: "6:21 error" },
    { name: "a list in a list", yaml: `${base}\nrequired_sections: [[risks]]`, says: "error:" },
    {
      name: "sections without an artifact",
      yaml: `${base}\nrequired_sections: [risks]`,
      says: "5:1 error: required_sections needs an artifact_path",
    },
    { name: "an alias of no section", yaml: `${base}\nsection_aliases: {risks: [dangers]}`, says: "5:19 error" },
    {
      name: "a section twice",
      yaml: `${base}\nartifact_path: a.md\nrequired_sections: [risks, risks]`,
      says: "listed twice",
    },
    {
      name: "a phase that follows itself",
      yaml: "phase: research\ncontract_version: 1\nnext_phase: research",
      says: "4:1 error: a phase cannot follow itself",
    },
    { name: "a path that goes up", yaml: `${base}\nartifact_path: docs/../../x.md`, says: "leaves the root" },
    {
      name: "another placeholder",
      yaml: `${base}\nartifact_path: docs/{title}.md`,
      says: "the only placeholder is {identifier}",
    },
    { name: "a duration without a unit", yaml: `${base}\nexpiry: 30`, says: "error: expiry" },
    // A29: there are no patterns at all
    { name: "a pattern", yaml: `${base}\nallow_promote_to: ["docs/(a+)+$"]`, says: "error: allow_promote_to" },
    // A23
    { name: "deep brackets", yaml: `model: ${"[".repeat(50_000)}`, says: "16 levels" },
    {
      name: "a deep block",
      yaml: `model:\n${Array.from({ length: 300 }, (_, depth) => `${" ".repeat(depth + 1)}a:`).join("\n")}`,
      says: "levels",
    },
    { name: "a run of dashes", yaml: `model:\n  ${"- ".repeat(5000)}x`, says: "levels" },
    { name: "a long key", yaml: `${base}\n${"k".repeat(5000)}: x`, says: "error:" },
  ])("parseContract refuses $name", ({ yaml, says }) => {
    const { contract: none } = parseContract(contract(yaml));
    expect(none).toBeUndefined();
    expect(issues(contract(yaml))).toContain(says);
    expect(({} as { readonly polluted?: boolean }).polluted).toBeUndefined();
  });

  it("parseContract refuses a billion laughs before expanding it", () => {
    const levels = Array.from(
      { length: 12 },
      (_, level) =>
        `l${level}: &l${level} [${level === 0 ? "lol" : Array.from({ length: 9 }, () => `*l${level - 1}`).join(", ")}]`,
    );
    expect(issues(contract(`${base}\n${levels.join("\n")}`))).toContain("anchors (&name) are not allowed");
  });

  it.each([
    {
      name: "a file of 64 KiB and one",
      text: `${contract(base)}${"x".repeat(65_537 - contract(base).length)}`,
      says: "65536",
    },
    { name: "a byte order mark", text: `\ufeff${contract(base)}`, says: "byte order mark" },
    { name: "UTF-16", text: contract(base).replaceAll(/(.)/gs, "$1\0"), says: "not UTF-8" },
    { name: "broken UTF-8", text: contract(`${base}\nmodel: \ufffd`), says: "not valid UTF-8" },
    { name: "mixed line endings", text: contract(base).replace("\n", "\r\n"), says: "mixes line endings" },
    { name: "a lone carriage return", text: contract(base).replace("null", "null\r"), says: "mixes line endings" },
    { name: "no front matter", text: "# Research\n", says: "must begin with front matter" },
    { name: "front matter without an end", text: `---\n${base}\n`, says: "must begin with front matter" },
    { name: "an empty file", text: "", says: "must begin with front matter" },
    { name: "a list as front matter", text: "---\n- a\n---\n", says: "expected object" },
  ])("parseContract refuses $name", ({ text, says }) => {
    expect(issues(text)).toContain(says);
  });

  it("parseContract takes a file of exactly 64 KiB, Windows line endings, and a rule in the body", () => {
    expect(parseContract(`${contract(base)}${"x".repeat(65_536 - contract(base).length)}`).issues).toEqual([]);
    expect(parseContract(contract(base).replaceAll("\n", "\r\n")).contract?.body).toBe("Do it.");
    expect(parseContract(`${contract(base)}\n---\n\nMore.\n`).contract?.body).toBe("Do it.\n\n---\n\nMore.");
  });

  it("parseContract gives another hash to every other text", () => {
    const hashes = [contract(base), contract(`${base}\n`), contract(base).replace("Do it", "Do that")].map(
      (text) => parseContract(text).contract?.hash,
    );
    expect(new Set(hashes).size).toBe(3);
  });
});

describe("renderContractPrompt", () => {
  it("renderContractPrompt tells the agent what to deliver and how to say so", () => {
    const { contract: parsed } = parseContract(RESEARCH);
    expect(renderContractPrompt(parsed!, { identifier: "SYM-001" })).toMatchInlineSnapshot(`
      "Find out what the problem is.

      # Contract of phase "research", version 1

      - Write the research brief to \`docs/tickets/SYM-001/research.md\`, as Markdown.
      - It needs these sections, each with text below its heading: Problem Statement, Open Questions.
      - It needs at least 200 characters.
      - Done when: artifact exists.
      - Done when: The recommendation names one way.

      When it is done, call complete_phase with completed_phase "research", contract_version 1 and recommended_next_phase "architecture"."
    `);
  });

  it.each(["../x", "a/b", "{identifier}", "$(id)", "", "..", "a b"])(
    "renderContractPrompt refuses the identifier %j",
    (identifier) => {
      expect(() => renderContractPrompt(parseContract(RESEARCH).contract!, { identifier })).toThrow(
        "is not safe inside a path",
      );
    },
  );
});
