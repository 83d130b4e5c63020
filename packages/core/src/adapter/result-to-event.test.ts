import { describe, expect, it } from "vitest";
import { isAbort } from "../text/is-abort.ts";
import { failureToEvent, failureToModelEvent, resultToEvent } from "./result-to-event.ts";

const subject = { call: "c1", tool: "run" };

describe("resultToEvent", () => {
  it.each([
    { output: "text", expected: { outcome: "ok", output: "text" } },
    { output: undefined, expected: { outcome: "ok" } },
    { output: { exitCode: 1, stdout: "failed" }, expected: { outcome: "ok", exitCode: 1 } },
    { output: { isError: true, content: [] }, expected: { outcome: "error" } },
    { output: { isError: false }, expected: { outcome: "ok" } },
    { output: { exitCode: "1" }, expected: { outcome: "ok" } },
  ])("resultToEvent reads $output", ({ output, expected }) => {
    const input = resultToEvent(subject, output);
    expect(input).toMatchObject(expected);
    expect("exitCode" in input).toBe("exitCode" in expected);
  });
});

describe("failureToEvent", () => {
  it("failureToEvent keeps message, exit code and output", () => {
    expect(failureToEvent(subject, new Error("full"))).toMatchObject({
      outcome: "error",
      output: "full",
      error: { message: "full" },
    });
    expect(failureToEvent(subject, Object.assign(new Error("failed"), { exitCode: 2, stderr: "no" }), 5)).toMatchObject(
      {
        exitCode: 2,
        output: { stderr: "no" },
        durationMs: 5,
      },
    );
    expect(failureToEvent(subject, "thrown text")).toMatchObject({ output: "thrown text" });
  });
});

describe("failureToModelEvent", () => {
  class APIUserAbortError extends Error {}
  it.each([
    {
      name: "a status and a code",
      error: Object.assign(new Error("slow"), { status: 429, code: "rate_limit" }),
      expected: { status: 429, code: "rate_limit" },
    },
    {
      name: "a code in the body",
      error: Object.assign(new Error("oh"), { statusCode: 500, data: { error: { code: "server_error" } } }),
      expected: { status: 500, code: "server_error" },
    },
    { name: "an abort", error: Object.assign(new Error("x"), { name: "AbortError" }), expected: { code: "aborted" } },
    {
      name: "an abort known by its class only",
      error: new APIUserAbortError("Request was aborted."),
      expected: { code: "aborted" },
    },
  ])("failureToModelEvent reads $name", ({ error, expected }) => {
    expect(failureToModelEvent(error)).toMatchObject({ type: "model.failed", ...expected });
  });

  it("failureToModelEvent does not read another error as an abort", () => {
    expect([new Error("aborted"), undefined, "AbortError", Object.create(null)].map(isAbort)).toEqual([
      false,
      false,
      false,
      false,
    ]);
  });
});
