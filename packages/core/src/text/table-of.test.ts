import { describe, expect, it } from "vitest";
import { ownValue } from "./own-value.ts";
import { tableOf } from "./table-of.ts";

const NAMES = Object.getOwnPropertyNames(Object.prototype);

describe("tableOf and ownValue", () => {
  it.each(NAMES)("find nothing under %s unless it is listed", (name) => {
    expect(tableOf<Readonly<Record<string, number>>>({ a: 1 })[name]).toBeUndefined();
    expect(ownValue({ a: 1 }, name)).toBeUndefined();
    expect(ownValue(JSON.parse(`{ "${name}": 2 }`) as object, name)).toBe(2);
  });

  it("find what is listed", () => {
    expect(tableOf({ a: 1 }).a).toBe(1);
    expect(Object.keys(tableOf({ a: 1, b: 2 }))).toEqual(["a", "b"]);
    expect(ownValue({ a: 1 }, "a")).toBe(1);
  });
});
