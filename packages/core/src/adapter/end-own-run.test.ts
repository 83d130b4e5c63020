import { describe, expect, it } from "vitest";
import { createRun, type RunPort } from "../run/run.ts";
import { endOwnRun } from "./end-own-run.ts";

describe("endOwnRun", () => {
  it("endOwnRun ends a run that a function returned, with the reason it is given", () => {
    const run = createRun();
    endOwnRun(() => run, run, { reason: "cancelled" });
    expect(run.outcome?.reason).toBe("cancelled");
  });

  it("endOwnRun leaves a run that the caller passed to the caller", () => {
    const run = createRun();
    endOwnRun(run, run);
    expect(run.view.status).toBe("running");
  });

  it("endOwnRun keeps the first end", () => {
    const run = createRun();
    run.end({ reason: "interrupted" });
    endOwnRun(() => run, run);
    expect(run.outcome?.reason).toBe("interrupted");
  });

  it("endOwnRun lets the host continue if the run is broken", () => {
    const broken: RunPort = {
      ...createRun(),
      end: () => {
        throw new Error("the run is broken");
      },
    };
    expect(() => endOwnRun(() => broken, broken)).not.toThrow();
  });
});

describe("endOwnRun of a call that waits", () => {
  it.each([
    { who: "a function", status: "suspended" },
    { who: "the caller", status: "running" },
  ])("endOwnRun leaves a run of $who $status if the call waits for a person", ({ who, status }) => {
    const run = createRun();
    endOwnRun(who === "a function" ? () => run : run, run, { waitsFor: "A person is asked." });
    expect(run.view.status).toBe(status);
  });
});
