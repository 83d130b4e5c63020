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
