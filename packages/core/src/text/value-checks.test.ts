import { describe, expect, it } from "vitest";
import { valueChecks } from "./value-checks.ts";

const { fields, flag, list, map, number, oneOf, optional, text } = valueChecks;

describe("valueChecks", () => {
  it.each([
    ["text", text, ["", "a"], [1, null, undefined, {}]],
    ["number", number, [0, -1, 1.5, 8.64e15], [Number.NaN, Infinity, -Infinity, 8.65e15, "1", null]],
    ["flag", flag, [true, false], [0, "true", null]],
    ["oneOf", oneOf({ a: true, b: true }), ["a", "b"], ["c", "", "constructor", "toString", null, 1]],
    ["list", list(text), [[], ["a"], Array(1000).fill("a")], [["a", 1], Array(1001).fill("a"), { length: 0 }, "a"]],
    ["map", map(number), [{}, { a: 1 }], [{ a: "1" }, [], null]],
    ["optional", optional(text), [undefined, "a"], [null, 1]],
  ] as const)("%s takes values of its type and no others", (...[_name, check, right, wrong]) => {
    for (const value of right) expect(check(value), JSON.stringify(value)).toBe(true);
    for (const value of wrong) expect(check(value), JSON.stringify(value)).toBe(false);
  });

  it("fields checks each member, and members of the prototype do not count", () => {
    const isHead = fields<{ readonly at: number; readonly folder?: string }>({ at: number, folder: optional(text) });
    expect(isHead({ at: 1 })).toBe(true);
    expect(isHead({ at: 1, folder: "a", other: {} })).toBe(true);
    for (const wrong of [{}, { at: "1" }, { at: 1, folder: null }, [], null, "at", Object.create({ at: 1 })])
      expect(isHead(wrong)).toBe(false);
  });
});
