import { describe, expect, it } from "vitest";
import { isObject, listIn, nameIn, numberIn, textIn, toObject } from "./loose-object.ts";

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

describe("readers of unknown values", () => {
  it.each([
    { value: "a", text: "a", name: "a", number: undefined, list: [] },
    { value: "", text: "", name: undefined, number: undefined, list: [] },
    { value: '{"a":[1]}', text: '{"a":[1]}', name: '{"a":[1]}', number: undefined, list: [] },
    { value: 0, text: "", name: undefined, number: 0, list: [] },
    { value: Infinity, text: "", name: undefined, number: undefined, list: [] },
    { value: [1, null], text: "", name: undefined, number: undefined, list: [1, null] },
    { value: null, text: "", name: undefined, number: undefined, list: [] },
  ])("a reader takes $value only if it has its type", ({ value, text, name, number, list }) => {
    expect(textIn(value)).toBe(text);
    expect(nameIn(value)).toBe(name);
    expect(numberIn(value)).toBe(number);
    expect(listIn(value)).toEqual(list);
  });
});
