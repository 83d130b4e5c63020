import { describe, expect, it } from "vitest";
import { isAbort } from "../is-abort.ts";
import { failureFact, failureToModelFact, resultFact } from "./result-facts.ts";

const subject = { call: "c1", tool: "run" };

describe("resultFact", () => {
  it.each([
    { output: "text", expected: { outcome: "ok", output: "text" } },
    { output: undefined, expected: { outcome: "ok" } },
    { output: { exitCode: 1, stdout: "failed" }, expected: { outcome: "ok", exitCode: 1 } },
    { output: { isError: true, content: [] }, expected: { outcome: "error" } },
    { output: { isError: false }, expected: { outcome: "ok" } },
    { output: { exitCode: "1" }, expected: { outcome: "ok" } },
  ])("$output", ({ output, expected }) => {
    const fact = resultFact(subject, output);
    expect(fact).toMatchObject(expected);
    expect("exitCode" in fact).toBe("exitCode" in expected);
  });
});

describe("failureFact", () => {
  it("keeps message, exit code and output", () => {
    expect(failureFact(subject, new Error("full"))).toMatchObject({ outcome: "error", output: "full", error: { message: "full" } });
    expect(failureFact(subject, Object.assign(new Error("failed"), { exitCode: 2, stderr: "no" }), 5)).toMatchObject({ exitCode: 2, output: { stderr: "no" }, durationMs: 5 });
    expect(failureFact(subject, "thrown text")).toMatchObject({ output: "thrown text" });
  });
});

describe("failureToModelFact", () => {
  class APIUserAbortError extends Error {}
  it.each([
    { name: "a status and a code", error: Object.assign(new Error("slow"), { status: 429, code: "rate_limit" }), expected: { status: 429, code: "rate_limit" } },
    { name: "a code in the body", error: Object.assign(new Error("oh"), { statusCode: 500, data: { error: { code: "server_error" } } }), expected: { status: 500, code: "server_error" } },
    { name: "an abort", error: Object.assign(new Error("x"), { name: "AbortError" }), expected: { code: "aborted" } },
    { name: "an abort known by its class only", error: new APIUserAbortError("Request was aborted."), expected: { code: "aborted" } },
  ])("$name", ({ error, expected }) => {
    expect(failureToModelFact(error)).toMatchObject({ type: "model.failed", ...expected });
  });

  it("takes no other error for an abort", () => {
    expect([new Error("aborted"), undefined, "AbortError", Object.create(null)].map(isAbort)).toEqual([false, false, false, false]);
  });
});
