import { describe, expect, it } from "vitest";
import { artifactOf, claimOf } from "../__fixtures__/pipeline.ts";
import { contractFor } from "./contract-set.ts";
import { runChecks } from "./structural-checks.ts";
import { defineContracts } from "./define-contracts.ts";

const contract = contractFor(
  defineContracts([{ phase: "research", artifact_path: "a.md", min_length: 100 }]),
  "research",
);
const problems = (text: string): readonly string[] =>
  contract === undefined
    ? ["no contract"]
    : runChecks(["min_length_reached"], { artifact: artifactOf(text), contract, claim: claimOf() }).flatMap(
        (finding) => finding.problems,
      );

describe("min_length_reached", () => {
  it.each([
    { name: "99 characters", text: "x".repeat(99), reached: false },
    { name: "100 characters", text: "x".repeat(100), reached: true },
    { name: "100 characters outside the basic plane", text: "𝒳".repeat(100), reached: true },
    { name: "50 of them", text: "𝒳".repeat(50), reached: false },
    { name: "100 characters in a code fence", text: `\`\`\`\n${"x".repeat(100)}\n\`\`\`\n`, reached: true },
    { name: "100 characters over several blocks", text: "# Heading\n\n- ten chars.\n".repeat(6), reached: true },
    { name: "a comment", text: `Short.\n\n<!-- ${"x".repeat(200)} -->\n`, reached: false },
    { name: "front matter", text: `---\ntitle: ${"x".repeat(200)}\n---\nShort.\n`, reached: false },
    { name: "blank lines and spaces", text: `Short.${"\n".repeat(200)}a${" ".repeat(200)}b\n`, reached: false },
    { name: "hidden HTML", text: `Short.\n\n<div style="display:none">${"x".repeat(200)}</div>\n`, reached: false },
    { name: "a script", text: `Short.\n\n<script>${"x".repeat(200)}</script>\n`, reached: false },
    { name: "a link definition", text: `Short.\n\n[a]: https://x.test/${"x".repeat(200)}\n`, reached: false },
    { name: "the address of a link", text: `[Short](https://x.test/${"x".repeat(200)})\n`, reached: false },
    { name: "the words of an image", text: `Short.\n\n![${"x".repeat(200)}](a.png)\n`, reached: false },
    { name: "zero-width spaces", text: `Short.${"\u200b".repeat(200)}\n`, reached: false },
    { name: "soft hyphens", text: `Short.${"&shy;".repeat(200)}\n`, reached: false },
    { name: "piled accents", text: `Short.${"\u0301".repeat(200)}\n`, reached: false },
  ])("$name: reached $reached", ({ text, reached }) => expect(problems(text).length === 0).toBe(reached));

  it("min_length_reached says what does not count", () => {
    expect(problems("Short.")).toEqual([
      "The artifact has 6 visible characters; it needs at least 100. Comments, front matter, hidden HTML, link addresses and images do not count.",
    ]);
  });
});
