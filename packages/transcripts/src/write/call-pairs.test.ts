import { describe, expect, it } from "vitest";
import { createCallPairs } from "./call-pairs.ts";

describe("createCallPairs", () => {
  it("pairs by id in any order", () => {
    const pairs = createCallPairs();
    expect([pairs.open("a", "x"), pairs.open("b", "y")]).toEqual(["a", "b"]);
    expect(pairs.close("b")).toEqual({ call: "b", tool: "y" });
    expect(pairs.close("a")).toEqual({ call: "a", tool: "x" });
  });

  it("pairs calls without ids in their order", () => {
    const pairs = createCallPairs();
    const ids = [pairs.open(undefined, "x"), pairs.open(undefined, "y")];
    expect(new Set(ids).size).toBe(2);
    expect([pairs.close(undefined), pairs.close(undefined), pairs.close(undefined)]).toEqual([
      { call: ids[0], tool: "x" },
      { call: ids[1], tool: "y" },
      undefined,
    ]);
  });

  it("keeps two open calls of one id apart, and lets an id come again later", () => {
    const pairs = createCallPairs();
    const [first, second] = [pairs.open("a", "x"), pairs.open("a", "x")];
    expect(first).not.toBe(second);
    expect([pairs.close("a"), pairs.close("a")]).toEqual([
      { call: first, tool: "x" },
      { call: second, tool: "x" },
    ]);
    expect(pairs.open("a", "x")).toBe("a");
  });

  it("gives no id away that is taken", () => {
    const pairs = createCallPairs();
    const id = pairs.open("a", "x", new Set(["a"]));
    expect(id).not.toBe("a");
    expect(pairs.close("a")).toEqual({ call: id, tool: "x" });
  });

  it("distinguishes a repeated result from one without a call", () => {
    const pairs = createCallPairs();
    pairs.open("a", "x");
    pairs.close("a");
    expect([pairs.close("a"), pairs.close("never")]).toEqual(["repeated", undefined]);
  });

  it("forgets the oldest of very many open calls", () => {
    const pairs = createCallPairs();
    for (let count = 0; count <= 10_000; count += 1) pairs.open(`c${String(count)}`, "x");
    expect([pairs.isOpen("c0"), pairs.isOpen("c1"), pairs.openCall("x")]).toEqual([false, true, "c1"]);
  });
});
