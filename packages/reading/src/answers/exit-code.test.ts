import { describe, expect, it } from "vitest";
import { readResult } from "./exit-code.ts";

describe("readResult", () => {
  it.each([
    {
      name: "a missing success flag means success",
      output: { output: "some output" },
      failed: false,
      text: "some output",
    },
    { name: "null means success with empty output", output: null, failed: false, text: "" },
    { name: "output that is not text is empty", output: { success: false, output: 42 }, failed: true, text: "" },
  ])("$name", ({ output, failed, text }) => {
    expect(readResult({ output })).toMatchObject({ failed, text });
  });
});

describe("Gemini CLI's shell", () => {
  it.each([
    ["Output: \n> build\n\nSuccessfully copied files.\nProcess Group PGID: 90089", 0],
    ["Output: src/a.ts: error TS2339\nExit Code: 1\nProcess Group PGID: 90089", 1],
    ["Output: (empty)\nSignal: 15\nProcess Group PGID: 90089", undefined],
    ["a text about a Process Group PGID: 90089", undefined],
  ])("%j ended with %s", (output, exitCode) => {
    expect(readResult({ output }).exitCode).toBe(exitCode);
  });
});
