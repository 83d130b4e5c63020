import { describe, expect, it } from "vitest";
import { analyzePattern } from "./analyze-pattern.ts";
import type { ReviewLog } from "./review-log.ts";

type Calls = Pick<ReviewLog, "calls" | "seen">;

/** Calls by letter: a capital letter failed, the letter is the command. */
function calls(letters: string, seen = 10): Calls {
  const list = Array.from(letters, (letter) => ({
    about: `run ${letter.toLowerCase()}`,
    failed: letter !== letter.toLowerCase(),
  }));
  return { calls: list, seen };
}

const kindsOf = (log: Calls): readonly string[] => analyzePattern(log).findings.map(({ kind }) => kind);

describe("analyzePattern", () => {
  it.each<[letters: string, kinds: readonly string[]]>([
    // Failure rate: more than half.
    ["", []],
    ["Ab", []],
    ["ABc", ["high_failure_rate"]],
    ["AbCd", []],
    ["AbCDe", ["high_failure_rate"]],
    ["A", ["high_failure_rate"]],
    // The same failure twice in a row, not with something between.
    ["AAbcde", ["repeated_failure"]],
    ["AbAcde", []],
    ["aAbcd", []],
    ["AaAbcdef", []],
    // The same success three times in a row, not twice.
    ["aab", []],
    ["aaab", ["repeated_success"]],
    ["aabaa", []],
    ["aaAab", []],
    ["AAbbbcd", ["repeated_failure", "repeated_success"]],
    ["AAA", ["high_failure_rate", "repeated_failure"]],
  ])("analyzePattern finds in %j: %j", (letters, kinds) => {
    expect(kindsOf(calls(letters))).toEqual(kinds);
    expect(analyzePattern(calls(letters)).alert).toBe(kinds.length > 0);
  });

  it.each([
    { letters: "abcD", seen: 10, text: "The tool calls look healthy: 3 of 4 succeeded." },
    { letters: "a", seen: 3, text: "The tool calls look healthy: 1 of 1 succeeded." },
    { letters: "a", seen: 2, text: "Too little activity to see a pattern." },
    { letters: "", seen: 3, text: "No tool calls to look at." },
    { letters: "", seen: 0, text: "Too little activity to see a pattern." },
  ])("analyzePattern of $letters after $seen messages says: $text", ({ letters, seen, text }) => {
    expect(analyzePattern(calls(letters, seen)).text).toBe(text);
  });

  it("analyzePattern counts the failures of the repeated command, and gives the share in percent", () => {
    const { text, failed, total } = analyzePattern(calls("AAbA"));
    expect([failed, total]).toEqual([3, 4]);
    expect(text).toMatchInlineSnapshot(`
      "- High failure rate: 3 of 4 tool calls failed (75 %).
      - The same command failed again: \`run a\`, 3 times among the last 4 calls.

      **ALERT**: this is not going to resolve itself. Ask for changes and say which, or abandon the work; do not just approve."
    `);
  });

  it("a finding outranks too little activity", () => {
    expect(analyzePattern(calls("AA", 1)).text).toContain("**ALERT**");
  });

  it("an open alert is a finding, with the text of its nudge", () => {
    const { findings, alert } = analyzePattern(calls("ab"), [{ kind: "stall", text: "Stop." }]);
    expect(findings).toEqual([{ kind: "stall", text: "Nudge to the agent: Stop." }]);
    expect(alert).toBe(true);
  });
});
