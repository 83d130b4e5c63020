import { createRun, type RunEvent } from "@phasekit/core";
import { describe, expect, it } from "vitest";
import type { Invocation } from "./invocation.ts";
import { isRunState, resumeState } from "./resume-state.ts";

describe("resumeState", () => {
  it("resumeState continues with the agent of a state whose inner members are hidden, and says what is missing", () => {
    const run = createRun();
    const events: RunEvent[] = [];
    run.subscribe((step) => events.push(...step));
    const currentAgent = { name: "second" };
    const state = { getInterruptions: () => [], currentAgent };
    // Only the members that are read here.
    const invocation = { run, active: { name: "first" } } as unknown as Invocation;
    expect(isRunState(state)).toBe(true);
    resumeState(invocation, state);
    expect(invocation.active).toBe(currentAgent);
    expect(events.filter(({ type }) => type === "event.recorded")).toMatchObject([
      {
        name: "adapter.failed",
        data: { during: "state", message: expect.stringContaining("hides the context") as string },
      },
    ]);
    expect(run.view.status).toBe("running");
  });

  it.each(["text", [], undefined, { _currentAgent: {} }])("isRunState is false for the input %j", (input) => {
    expect(isRunState(input)).toBe(false);
  });
});
