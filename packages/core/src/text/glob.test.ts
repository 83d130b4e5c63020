import { describe, expect, it } from "vitest";
import { matchesGlob } from "./glob.ts";

describe("matchesGlob", () => {
  it.each([
    ["read_file", "read_file"],
    ["read_file", "*"],
    ["", "*"],
    ["", ""],
    ["read_file", "read_*"],
    ["read_", "read_*"],
    ["read_file", "*_file"],
    ["read_many_files", "read*files"],
    ["mcp__github__create_issue", "mcp__*__create_*"],
    ["abcbc", "a*bc"],
    ["aXbXc", "a*b*c"],
    ["abc", "a**c"],
    ["abc", "***"],
    ["a*c", "a*c"],
    ["line\nbreak", "line*break"],
    ["😀tool😀", "😀*😀"],
  ])("matchesGlob: %j fits %j", (name, pattern) => {
    expect(matchesGlob(name, pattern)).toBe(true);
  });

  it.each([
    ["Read", "read"],
    ["READ_FILE", "read_*"],
    ["read_file", "read"],
    ["read_file", "file"],
    ["read_file", ""],
    ["thread_file", "read_*"],
    ["read_files", "*_file"],
    ["a", "a*a"],
    ["aba", "ab*ba"],
    ["acb", "a*b*c"],
    ["abab", "*ba*ba*"],
    ["axc", "a.c"],
    ["aXc", "a?c"],
    ["b", "[a-c]"],
    ["ac", "a+c"],
    ["x", "(x|y)"],
  ])("matchesGlob: %j does not fit %j", (name, pattern) => {
    expect(matchesGlob(name, pattern)).toBe(false);
  });

  it("matchesGlob ends in time on a pattern made to backtrack", () => {
    expect(matchesGlob("a".repeat(100_000), `${"*a".repeat(50_000)}b`)).toBe(false);
    expect(matchesGlob("a".repeat(100_000), `${"a*".repeat(50_000)}a*b*`)).toBe(false);
  });
});
