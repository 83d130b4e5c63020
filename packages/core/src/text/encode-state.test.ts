import { describe, expect, it } from "vitest";
import { decodeState, encodeState } from "./encode-state.ts";

const roundTrip = (value: unknown): unknown =>
  decodeState(
    JSON.parse(
      JSON.stringify(
        encodeState({ value }, ({ path, what }) => {
          throw new Error(`${path} is ${what}`);
        }),
      ),
    ),
  );

describe("encodeState", () => {
  it.each<{ readonly value: unknown }>([
    { value: undefined },
    { value: [1, "a", null, true, undefined, Number.NaN, Infinity, -Infinity, -0] },
    {
      value: new Map<unknown, unknown>([
        ["a", new Set([1, [2]])],
        [{ b: 1 }, [[]]],
        [3, undefined],
      ]),
    },
    { value: { list: [[]], nested: { a: { b: {} } }, "": 0 } },
    { value: ["[0]", "NaN", "undefined"] },
  ])("decodeState reads back $value", ({ value }) => {
    expect(roundTrip(value)).toStrictEqual({ value });
  });

  it("an object that is reached twice is one object again, also a cycle", () => {
    const shared: { self?: unknown } = {};
    shared.self = shared;
    const read = roundTrip([shared, new Map([["x", shared]])]) as { value: [typeof shared, Map<string, unknown>] };
    const [first, map] = read.value;
    expect(first.self).toBe(first);
    expect(map.get("x")).toBe(first);
  });

  it("a table without a prototype stays one, and a member named __proto__ is only a member", () => {
    const table = Object.assign(Object.create(null) as object, { a: 1 });
    const { value } = roundTrip([table, JSON.parse('{"__proto__":{"b":2}}')]) as { value: object[] };
    expect(Object.getPrototypeOf(value[0])).toBe(null);
    expect(Object.getPrototypeOf(value[1])).toBe(Object.prototype);
    expect(Object.keys(value[1] ?? {})).toEqual(["__proto__"]);
  });

  it.each([undefined, 5, "x", {}, [], [5], [["list"]]])("decodeState of %j throws nothing", (encoded) => {
    expect(() => decodeState(encoded)).not.toThrow();
  });
});
