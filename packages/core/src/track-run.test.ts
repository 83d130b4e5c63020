import { describe, expect, it } from "vitest";
import { loggedRun } from "./__fixtures__/logged-run.ts";
import { veto } from "./decision.ts";
import { definePolicy } from "./policy.ts";
import { trackRun } from "./track-run.ts";

const error = (name: string): Error => Object.assign(new Error("boom"), { name });

describe("trackRun", () => {
  it.each([
    ["a value", () => 5],
    ["a promise", () => Promise.resolve(5)],
  ])("gives back %s and ends the run", async (_what, work) => {
    const { run } = loggedRun();
    await expect(trackRun(run, work)).resolves.toBe(5);
    expect(run.outcome).toMatchObject({ reason: "done" });
  });

  it("asks the gates, since nobody else did", async () => {
    const { run } = loggedRun({ policies: [definePolicy({ name: "g", decide: { "finish.requested": () => veto("no") } })] });
    await trackRun(run, () => undefined);
    expect(run.outcome).toMatchObject({ reason: "done_unverified", verified: false });
  });

  it.each([
    { thrown: error("AbortError"), reason: "interrupted" },
    { thrown: error("TimeoutError"), reason: "timeout" },
    { thrown: error("TypeError"), reason: "unknown" },
    { thrown: "text", reason: "unknown" },
    { thrown: undefined, reason: "unknown" },
    { thrown: null, reason: "unknown" },
  ])("throws $thrown on, and ends the run as $reason", async ({ thrown, reason }) => {
    const { run, of } = loggedRun();
    let caught: unknown = "nothing";
    await trackRun(run, () => { throw thrown as Error; }).catch((found: unknown) => { caught = found; });
    expect(caught).toBe(thrown);
    expect(of("run.finished")).toMatchObject([{ reason, verified: false }]);
  });

  it("keeps the shape of a rejected promise's error", async () => {
    const { run } = loggedRun();
    await expect(trackRun(run, () => Promise.reject(new RangeError("far", { cause: error("Inner") })))).rejects.toThrow("far");
    expect(run.outcome?.error).toEqual({ name: "RangeError", message: "far", causes: [{ name: "Inner", message: "boom" }] });
  });

  it("classifies with the caller's function; one that fails or talks nonsense counts as unknown", async () => {
    for (const [classify, reason] of [[() => "rate_limit", "rate_limit"], [() => { throw new Error("x"); }, "unknown"], [() => "nonsense", "unknown"]] as const) {
      const { run } = loggedRun();
      await expect(trackRun(run, () => { throw new Error("429"); }, { classify: classify as () => "rate_limit" })).rejects.toThrow("429");
      expect(run.outcome?.reason).toBe(reason);
    }
  });

  it("ends the run also when the error cannot be read, and throws that very error on", async () => {
    const hostile = Object.defineProperty({}, "message", { get: () => { throw new Error("no"); } });
    const { run } = loggedRun();
    let caught: unknown;
    await trackRun(run, () => { throw hostile as Error; }).catch((found: unknown) => { caught = found; });
    expect(caught).toBe(hostile);
    expect(run.outcome).toMatchObject({ reason: "unknown" });
  });

  it("leaves a run alone that was ended inside", async () => {
    const { run, of } = loggedRun();
    await trackRun(run, () => run.end({ reason: "cancelled" }));
    expect(of("run.finished")).toMatchObject([{ reason: "cancelled" }]);
  });

  it("refuses a run that has ended, before any work", async () => {
    const { run } = loggedRun();
    run.end();
    let worked = false;
    await expect(trackRun(run, () => { worked = true; })).rejects.toMatchObject({ code: "RUN_ENDED" });
    expect(worked).toBe(false);
  });
});
