import { describe, expect, it } from "vitest";
import { normalizeJson, readMembers, toJson } from "./json.ts";

const circle: Record<string, unknown> = { name: "a" };
circle["self"] = circle;
const shared = { x: 1 };
const map = new Map<string, unknown>([["a", 1]]);
map.set("me", map);

function nested(depth: number): unknown {
  let value: unknown = "bottom";
  for (let level = 0; level < depth; level += 1) value = [value];
  return value;
}

function bottom(value: unknown): unknown {
  let inner = value;
  while (Array.isArray(inner)) inner = inner[0] as unknown;
  return inner;
}

describe("toJson", () => {
  it.each([
    ["a text", "text", "text"],
    ["a number", 1.5, 1.5],
    ["true", true, true],
    ["null", null, null],
    ["undefined", undefined, null],
    ["NaN", Number.NaN, "[NaN]"],
    ["an infinity", -Infinity, "[-Infinity]"],
    ["a BigInt", 12n, "[bigint 12]"],
    ["a BigInt of 50 digits", 10n ** 49n, `[bigint 1${"0".repeat(39)}]`],
    ["a function", () => 1, "[function]"],
    ["a symbol", Symbol("s"), "[symbol]"],
    ["a list with a hole", [1, undefined, 3], [1, null, 3]],
    ["undefined members", { a: undefined, b: 1 }, { b: 1 }],
    ["a date", new Date(0), "1970-01-01T00:00:00.000Z"],
    ["a map", new Map([["a", { b: 1 }]]), { a: { b: 1 } }],
    ["a set", new Set([1, "b"]), [1, "b"]],
    ["bytes", new Uint8Array(3), "[3 bytes]"],
    ["an object that holds itself", circle, { name: "a", self: "[circular]" }],
    ["a map that holds itself", map, { a: 1, me: "[circular]" }],
    ["one object twice, which is no circle", [shared, shared], [{ x: 1 }, { x: 1 }]],
    [
      "a getter that throws",
      {
        get bad(): string {
          throw new Error("no");
        },
        good: 1,
      },
      { bad: "[unreadable]", good: 1 },
    ],
    [
      "a toJSON that throws",
      {
        toJSON: () => {
          throw new Error("no");
        },
      },
      "[unreadable]",
    ],
    [
      "a proxy that throws",
      new Proxy(
        {},
        {
          ownKeys: () => {
            throw new Error("no");
          },
        },
      ),
      "[unreadable]",
    ],
    ["an object without a prototype", Object.assign(Object.create(null) as object, { a: 1 }), { a: 1 }],
    [
      "an error",
      Object.assign(new TypeError("bad", { cause: "why" }), { code: "E1", status: 500, stack: "secret" }),
      { name: "TypeError", message: "bad", code: "E1", status: 500, cause: "why" },
    ],
    ["an error without more", new Error("bad"), { name: "Error", message: "bad" }],
  ])("toJson copies %s", (_what, value, expected) => {
    expect(toJson(value)).toEqual(expected);
    expect(JSON.parse(JSON.stringify(toJson(value)))).toEqual(expected);
  });

  it("toJson writes -0 as 0, because JSON has no -0", () => {
    expect(Object.is(toJson(-0), 0)).toBe(true);
  });

  it("toJson does not let a __proto__ member change the copy", () => {
    const copy = toJson(JSON.parse('{ "__proto__": { "admin": true }, "a": 1 }'));
    expect(copy).toEqual({ a: 1 });
    expect((copy as { admin?: unknown }).admin).toBeUndefined();
  });

  it("toJson returns a copy: later changes by the caller do not show", () => {
    const value = { list: [1] };
    const copy = toJson(value);
    value.list.push(2);
    expect(copy).toEqual({ list: [1] });
  });

  it.each([
    { depth: 64, expected: "bottom" },
    { depth: 65, expected: "[nested too deep]" },
  ])("toJson of a value nested $depth deep ends in $expected", ({ depth, expected }) => {
    expect(bottom(toJson(nested(depth)))).toBe(expected);
  });

  it.each([
    { length: 10_000, items: 10_000, last: 9999 },
    { length: 10_001, items: 10_001, last: "[1 more]" },
    { length: 10_500, items: 10_001, last: "[500 more]" },
  ])("toJson of a list of $length items ends in $last", ({ length, items, last }) => {
    const copy = toJson(Array.from({ length }, (_, index) => index)) as readonly unknown[];
    expect(copy).toHaveLength(items);
    expect(copy.at(-1)).toBe(last);
  });

  it.each([
    { members: 10_000, more: undefined },
    { members: 10_001, more: true },
  ])("toJson of an object of $members members says that more were left out: $more", ({ members, more }) => {
    const copy = toJson(
      Object.fromEntries(Array.from({ length: members }, (_, index) => [`k${String(index)}`, index])),
    ) as Record<string, unknown>;
    expect(copy["[more]"]).toBe(more);
    expect(copy["k9999"]).toBe(9999);
    expect(copy["k10000"]).toBeUndefined();
  });
});

describe("normalizeJson", () => {
  it.each([
    ["a text", "abc", 3],
    ["a number", 12_345, 0],
    ["keys and texts, however deep", { ab: ["c", { d: "ef" }] }, 2 + 1 + 1 + 2],
    ["an error", new Error("four"), 5 + 4],
  ])("normalizeJson counts the characters of %s", (_what, value, size) => {
    expect(normalizeJson(value).size).toBe(size);
  });
});

describe("readMembers", () => {
  it.each([new Uint8Array(3), Buffer.from("abc"), new DataView(new ArrayBuffer(3)), [1, 2, 3], Object("abc"), 5, null])(
    "finds none in %o: such a value may have millions of them",
    (value: unknown) => {
      expect(readMembers(value)).toEqual({});
    },
  );

  it("reads those of an object, also if one of them throws", () => {
    const broken = {
      a: 1,
      get b(): never {
        throw new Error("no");
      },
    };
    expect(readMembers({ a: 1 })).toEqual({ a: 1 });
    expect(readMembers(broken)).toEqual({ a: 1, b: "[unreadable]" });
  });
});
