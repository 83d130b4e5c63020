import { describe, expect, it } from "vitest";
import { handOffOf, type PhaseMove, renderHandOff } from "./hand-off.ts";

const record = (members: Partial<PhaseMove> = {}): PhaseMove => ({
  from: "plan",
  to: "execute",
  at: 100_000,
  seq: 7,
  summary: "Three steps.",
  ...members,
});

describe("handOffOf", () => {
  it.each([
    { what: "a young record", age: 0, record: record(), handed: true },
    { what: "one just inside the window", age: 29_999, record: record(), handed: true },
    { what: "one at the window", age: 30_000, record: record(), handed: false },
    { what: "an old one", age: 31_000, record: record(), handed: false },
    {
      what: "one without a summary",
      age: 1000,
      record: { from: "plan", to: "execute", at: 100_000, seq: 7 },
      handed: false,
    },
    { what: "one with an empty summary", age: 1000, record: record({ summary: " " }), handed: false },
    { what: "no record", age: 0, record: undefined, handed: false },
    { what: "one inside a window of one's own", age: 59_000, windowMs: 60_000, record: record(), handed: true },
  ])("handOffOf: $what is handed over: $handed", ({ age, record: newest, handed, windowMs }) => {
    expect(handOffOf(newest, { now: 100_000 + age, ...(windowMs !== undefined && { windowMs }) }) !== undefined).toBe(
      handed,
    );
  });

  it("renderHandOff names who hands over what", () => {
    const handOff = handOffOf(record({ name: "Planner" }), { now: 100_500 });
    expect(handOff).toEqual({ from: "plan", to: "execute", summary: "Three steps.", by: "Planner", ageMs: 500 });
    expect(renderHandOff(handOff!)).toMatchInlineSnapshot(`
      "Handed over by Planner from the phase "plan" to "execute":
      Three steps."
    `);
    expect(renderHandOff(handOffOf(record({ from: "execute" }), { now: 100_500 })!)).toMatchInlineSnapshot(`
      "Handed over inside the phase "execute":
      Three steps."
    `);
  });
});
