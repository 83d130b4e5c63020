import { describe, expect, it } from "vitest";
import { derivedTypes, hostFacts, hostTypes, isDerivedType, isHostFact, isHostType, type RunEvent } from "./run-event.ts";

describe("host and derived facts", () => {
  it("are told apart by name, and none is both", () => {
    expect(hostTypes.filter((type) => isDerivedType(type))).toEqual([]);
    expect(hostTypes.every((type) => isHostType(type))).toBe(true);
    expect(derivedTypes.every((type) => isDerivedType(type) && !isHostType(type))).toBe(true);
  });

  it.each(["toString", "__proto__", "", "turn"])("%j is neither", (type) => {
    expect(isHostType(type) || isDerivedType(type)).toBe(false);
  });

  it("are called a noun, a dot and what happened", () => {
    for (const type of [...hostTypes, ...derivedTypes]) expect(type).toMatch(/^[a-z]+\.[a-z]+(-[a-z]+)?$/);
  });

  it("are these: a name in somebody's log never changes", () => {
    expect(hostTypes.join(" ")).toMatchInlineSnapshot(`"run.started run.resumed run.finished turn.started model.answered model.failed tool.requested tool.finished message.sent message.received finish.requested move.requested clock.ticked fact.rejected validation.failed check.finished output.produced operation.finished quota.observed workspace.observed todos.updated plan.declared question.asked progress.made claim.submitted verdict.given review.finished nudge.lost fact.recorded child.started child.progressed child.finished"`);
    expect(derivedTypes.join(" ")).toMatchInlineSnapshot(`"phase.transition phase.refused phase.skipped phase.rolled-back phase.timed-out exploration.saturation nudge.sent nudge.dropped nudge.settled alert.raised alert.cleared tool.refused finish.vetoed finish.vouched review.requested stop.requested policy.failed fact.emitted"`);
  });

  it("have no member of their own with the name of one that every event may have", () => {
    const common = ["type", "v", "seq", "at", "turn", "call", "index", "loop", "cause", "faults", "host"];
    for (const type of hostTypes) expect(common.filter((name) => name !== "call" && name in hostFacts[type])).toEqual([]);
  });

  it("isHostFact looks at the type only", () => {
    expect(isHostFact({ type: "turn.started", seq: 1, at: 1 })).toBe(true);
    expect(isHostFact({ type: "nudge.settled", seq: 1, at: 1, cause: 1, by: "p", nudge: "n", helped: true } satisfies RunEvent)).toBe(false);
  });
});
