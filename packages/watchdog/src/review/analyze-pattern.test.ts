import { describe, expect, it } from "vitest";
import { analyzePattern, type AnalyzePatternOptions, type PatternCall } from "./analyze-pattern.ts";

/** Calls by letter: a capital letter failed, the letter is the command. */
function calls(letters: string): readonly PatternCall[] {
  return Array.from(letters, (letter) => ({
    tool: "run",
    input: { command: letter.toLowerCase() },
    failed: letter !== letter.toLowerCase(),
  }));
}

const kindsOf = (given: readonly PatternCall[], options?: AnalyzePatternOptions): readonly string[] =>
  analyzePattern(given, options).findings.map(({ kind }) => kind);

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
    expect(analyzePattern(calls(letters), { messages: seen }).text).toBe(text);
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
    expect(analyzePattern(calls("AA"), { messages: 1 }).text).toContain("**ALERT**");
  });

  it("an open alert is a finding, with the text of its nudge", () => {
    const { findings, alert } = analyzePattern(calls("ab"), { alerts: [{ kind: "stall", text: "Stop." }] });
    expect(findings).toEqual([{ kind: "stall", text: "Nudge to the agent: Stop." }]);
    expect(alert).toBe(true);
  });

  it.each([
    { window: 20, kinds: ["high_failure_rate", "repeated_failure"] },
    { window: 18, kinds: ["repeated_failure"] },
    { window: 11, kinds: ["repeated_failure"] },
    { window: 10, kinds: [] },
    { window: 9, kinds: [] },
  ])("analyzePattern looks at the newest $window calls", ({ window, kinds }) => {
    expect(kindsOf(calls("AAAAAAAAAAAAbcdefghij"), { window })).toEqual(kinds);
  });

  it.each<[input: unknown, again: unknown, same: boolean]>([
    [{ command: "git fetch" }, { command: "git fetch" }, true],
    ["git fetch", "git fetch", true],
    [{ url: "x", body: { b: 1, a: [2] } }, { body: { a: [2], b: 1 }, url: "x" }, true],
    [undefined, undefined, true],
    [undefined, "", true],
    [{ command: "git fetch" }, { command: "git pull" }, false],
    [{ path: "a", limit: 1 }, { path: "a", limit: 2 }, false],
    ["x".repeat(200), `${"x".repeat(200)}y`, false],
  ])("analyzePattern of a call with %j and then with %j: the same call is %s", (input, again, same) => {
    const found = kindsOf([
      { tool: "t", input, failed: true },
      { tool: "t", input: again, failed: true },
      ...calls("abc"),
    ]);
    expect(found.includes("repeated_failure")).toBe(same);
  });

  it("analyzePattern tells calls with equal input apart by their tool, and takes an identity that is known", () => {
    expect(kindsOf([{ tool: "a", failed: true }, { tool: "b", failed: true }, ...calls("xyz")])).toEqual([]);
    const known = (input: string): PatternCall => ({ tool: "a", input, about: "a fetch #1", failed: true });
    const { text } = analyzePattern([known("1"), known("2"), ...calls("xyz")]);
    expect(text).toContain("The same command failed again: `a fetch`, 2 times among the last 5 calls.");
  });

  it("analyzePattern names a call by its only text, or by all of its input, and clips it", () => {
    const textOf = (input: unknown): string =>
      analyzePattern([
        { tool: "http", input, failed: true },
        { tool: "http", input, failed: true },
      ]).text;
    expect(textOf({ url: "x" })).toContain("`http x`");
    expect(textOf({ url: "x", n: 1 })).toContain('`http {"n":1,"url":"x"}`');
    expect(textOf("y".repeat(81))).toContain(`\`http ${"y".repeat(79)}…\``);
    expect(textOf("y".repeat(80))).toContain(`\`http ${"y".repeat(80)}\``);
  });

  it.each([0, -1, Number.NaN, "ten" as never])("analyzePattern refuses a window of %s", (window) => {
    expect(() => analyzePattern([], { window })).toThrow(expect.objectContaining({ code: "INVALID_OPTION" }) as Error);
  });
});
