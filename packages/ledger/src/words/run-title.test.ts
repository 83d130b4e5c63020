import { describe, expect, it } from "vitest";
import { titleOfPrompt } from "./run-title.ts";

describe("titleOfPrompt", () => {
  it.each([
    ["Fix the build.", "Fix the build."],
    [
      "Implement the following plan:\n\n# Plan: Propagate verbose logging\n\n## Context\n\nText",
      "Propagate verbose logging",
    ],
    ["# Task: Clean up\n\nMore", "Task: Clean up"],
    ["<system-reminder>\nDo not say\n</system-reminder>\nAdd a test", "Add a test"],
    [
      "# AGENTS.md instructions for /home/dev/app\n\n<INSTRUCTIONS>\nUse tabs.\n</INSTRUCTIONS>\n\nRename it",
      "Rename it",
    ],
    ["<environment_context>\n  <cwd>/home</cwd>\n</environment_context>", undefined],
    ["<command-name>/mode</command-name>\n<command-message>mode</command-message>\nWrite docs", "Write docs"],
    ["/review", undefined],
    ["/review the last commit", "/review the last commit"],
    ["/src/a.ts is broken", "/src/a.ts is broken"],
    ["> quoted\nanswer", "quoted"],
    ["", undefined],
    ["---\n***", undefined],
    ["<b>bold</b> text", "<b>bold</b> text"],
    ["修复文件索引", "修复文件索引"],
  ])("the title of %j is %j", (prompt, title) => {
    expect(titleOfPrompt(prompt)).toBe(title);
  });

  it("a long prompt costs little and its title is short", () => {
    const title = titleOfPrompt("<a-b>".repeat(100_000));
    expect(title).toBeUndefined();
    expect(titleOfPrompt("word ".repeat(100_000))?.length).toBeLessThanOrEqual(120);
  });
});
