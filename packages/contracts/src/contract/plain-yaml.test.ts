import { describe, expect, it } from "vitest";
import { renderContractIssues } from "./contract-issue.ts";
import { parseContract } from "./parse-contract.ts";

const parse = (yaml: string) => parseContract(`---\n${yaml}\n---\nDo it.\n`, { file: "a.md" });
const laughs = `a: &a [x, x, x]\n${Array.from("bcdefghij", (name, index) => `${name}: &${name} [${Array.from({ length: 9 }, () => `*${"abcdefghi"[index] ?? "a"}`).join(", ")}]`).join("\n")}`;

describe("YAML that aims at its reader", () => {
  it.each([
    { name: "a billion laughs", yaml: laughs, says: "a.md:2:7 error: anchors (&name) are not allowed" },
    { name: "lines", yaml: "a\n".repeat(600), says: "a.md:2:1 error: the front matter has more than 512 lines" },
    { name: "brackets", yaml: "[".repeat(60_000), says: "a.md:2:17 error: more than 16 levels deep" },
    { name: "braces", yaml: "{a: ".repeat(15_000), says: "a.md:2:65 error: more than 16 levels deep" },
    { name: "lists in a line", yaml: "- ".repeat(30_000), says: "a.md:2:1 error: more than 16 levels deep" },
    {
      name: "a long text",
      yaml: `a: ${"x".repeat(60_000)}`,
      says: "a.md:2:16385 error: the front matter has more than 16384 characters",
    },
    {
      name: "many keys",
      yaml: "a: 1\n".repeat(12_000),
      says: "a.md:3278:5 error: the front matter has more than 16384 characters",
    },
    { name: "a key many times", yaml: "a: 1\n".repeat(500), says: "a.md:3:1 error: Map keys must be unique" },
    { name: "merge keys", yaml: "a: 1\n<<: {b: 1}\n", says: "a.md:3:1 error: merge keys (<<) are not allowed" },
    {
      name: "an alias of nothing",
      yaml: "- *a\n".repeat(500),
      says: "a.md:2:3 error: aliases (*name) are not allowed",
    },
    { name: "a tag that makes a function", yaml: "a: !!js/function x", says: "a.md:2:4 error:" },
    { name: "a long number", yaml: `a: ${"1".repeat(5000)}`, says: "a.md:2:4 error:" },
    {
      name: "a key of an object",
      yaml: "constructor: 1",
      says: 'a.md:2:1 error: the key "constructor" is not allowed',
    },
  ])("YAML that aims at its reader refuses $name, with the place and a list a person can read", ({ yaml, says }) => {
    const { contract, issues } = parse(yaml);
    expect(contract).toBeUndefined();
    expect(renderContractIssues(issues)).toContain(says);
    expect(issues.length).toBeLessThanOrEqual(100);
  });

  it.each([
    "a: 1\n",
    "- *a\n",
    "<<: *a\n",
    ", ",
    "a: ",
    "&a ",
    "! ",
    '"',
    "a:\n\t- b\n",
    ": 1\n",
    "? a\n: b\n",
    "[a]: b\n",
  ])("YAML that aims at its reader reads %j over and over in a time that grows with the text", (unit) => {
    const cpuOf = (length: number): number => {
      const before = process.cpuUsage();
      parse(unit.repeat(Math.floor(length / unit.length)));
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1000;
    };
    const small = Math.max(40, cpuOf(4000));
    expect(cpuOf(16_000)).toBeLessThan(small * 12);
    // Beyond the limit it is not read at all.
    expect(cpuOf(60_000)).toBeLessThan(small * 12);
  });
});
