import { describe, expect, it } from "vitest";
import { derivedTypes, hostEventFields, hostTypes, isDerivedType, isHostEvent, isHostType } from "./run-event.ts";

describe("host and derived events", () => {
  it("host and derived events differ by name, and none is both", () => {
    expect(hostTypes.filter((type) => isDerivedType(type))).toEqual([]);
    expect(hostTypes.every((type) => isHostType(type))).toBe(true);
    expect(derivedTypes.every((type) => isDerivedType(type) && !isHostType(type))).toBe(true);
  });

  it.each(["toString", "__proto__", "", "turn"])("%j is neither a host nor a derived event", (type) => {
    expect(isHostType(type) || isDerivedType(type)).toBe(false);
  });

  it("an event type is a noun, a dot and what happened", () => {
    for (const type of [...hostTypes, ...derivedTypes]) expect(type).toMatch(/^[a-z]+\.[a-z]+(-[a-z]+)?$/);
  });

  it("the event types are these: a name in a stored log never changes", () => {
    expect(hostTypes.join("\n")).toMatchInlineSnapshot(
      `
      "run.started
      run.resumed
      run.finished
      turn.started
      model.answered
      model.failed
      model.reasoned
      context.compacted
      tool.requested
      tool.finished
      message.sent
      message.received
      finish.requested
      move.requested
      clock.ticked
      event.rejected
      budget.requested
      budget.granted
      budget.denied
      validation.failed
      check.finished
      output.produced
      operation.finished
      quota.observed
      workspace.observed
      todos.updated
      plan.declared
      question.asked
      progress.made
      claim.submitted
      verdict.given
      review.finished
      nudge.lost
      event.recorded
      child.started
      child.progressed
      child.finished"
    `,
    );
    expect(derivedTypes.join("\n")).toMatchInlineSnapshot(
      `
      "phase.transition
      phase.refused
      phase.skipped
      phase.rolled-back
      phase.timed-out
      exploration.saturation
      nudge.sent
      nudge.dropped
      nudge.settled
      alert.raised
      alert.cleared
      tool.refused
      finish.vetoed
      finish.vouched
      review.requested
      stop.requested
      policy.failed
      event.emitted"
    `,
    );
  });

  it("an event has no member of its own with the name of a member of all events", () => {
    const common = ["type", "v", "seq", "at", "turn", "call", "index", "loop", "cause", "faults", "host"];
    for (const type of hostTypes)
      expect(common.filter((name) => name !== "call" && name in hostEventFields[type])).toEqual([]);
  });

  it("isHostEvent looks at the type only", () => {
    expect(isHostEvent({ type: "turn.started" })).toBe(true);
    expect(isHostEvent({ type: "nudge.settled" })).toBe(false);
    expect(isHostEvent({ type: "constructor" })).toBe(false);
  });
});
