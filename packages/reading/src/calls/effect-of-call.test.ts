import type { Meaning } from "@phasekit/core";
import { describe, expect, it } from "vitest";
import { effectOf } from "./effect-of-call.ts";
import type { ToolInput } from "./tool-input.ts";

describe("effectOf", () => {
  it.each<{ readonly meaning: Meaning; readonly given?: ToolInput; readonly is: string }>([
    { meaning: { activity: "read" }, is: "look" },
    { meaning: { activity: "edit" }, is: "change" },
    { meaning: { activity: "run", parts: ["edit", "run"], mutates: true }, is: "change" },
    { meaning: { activity: "test" }, is: "check" },
    { meaning: { activity: "wait" }, is: "wait" },
    { meaning: { activity: "vcs-write" }, given: { command: "git commit -m x" }, is: "act" },
    { meaning: { activity: "run" }, given: { command: "python - <<EOF\nprint(1)\nEOF" }, is: "change" },
    { meaning: { activity: "run" }, given: { command: "python a.py" }, is: "act" },
    { meaning: { activity: "vcs-write", mutates: false }, given: { command: "git fetch" }, is: "act" },
    { meaning: { activity: "install", mutates: false }, given: { command: "npm ci" }, is: "act" },
    { meaning: { activity: "plan", mutates: false }, is: "look" },
    { meaning: { activity: "other" }, is: "act" },
    {
      meaning: {},
      given: { text: Array.from({ length: 30 }, (_, i) => `w${i}`).join(" ") },
      is: "change",
    },
  ])("reads $meaning $given as $is", ({ meaning, given = {}, is }) => {
    expect(effectOf({ tool: "t", given }, meaning)).toBe(is);
  });
});
