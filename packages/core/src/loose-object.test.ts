import { describe, expect, it } from "vitest";
import { isObject, toObject } from "./loose-object.ts";

describe("isObject and toObject", () => {
  it.each([
    { value: { a: 1 }, is: true },
    { value: [1], is: false },
    { value: null, is: false },
    { value: "text", is: false },
    { value: undefined, is: false },
  ])("isObject($value) is $is, and toObject gives an object", ({ value, is }) => {
    expect(isObject(value)).toBe(is);
    expect(toObject(value)).toEqual(is ? value : {});
  });
});
