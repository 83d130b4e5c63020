import { describe, expect, it } from "vitest";
import { clipJson, clipText } from "./clip.ts";
import { type Json, normalizeJson } from "./json.ts";

const clip = (value: unknown, limit: number): Json => clipJson(normalizeJson(value), limit);
const loneSurrogate = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

describe("clipText", () => {
  it.each([
    { length: 99, clipped: false },
    { length: 100, clipped: false },
    { length: 101, clipped: true },
  ])("clipText of $length characters at a limit of 100, clipped: $clipped", ({ length, clipped }) => {
    const text = "x".repeat(length);
    expect(clipText(text, 100) !== text).toBe(clipped);
  });

  it("clipText keeps the beginning and the end and says what is missing", () => {
    expect(clipText(`${"a".repeat(100)}${"z".repeat(100)}`, 60)).toMatchInlineSnapshot(`
      "aaaaaaaaaa
      … [180 characters cut] …
      zzzzzzzzzz"
    `);
  });

  it.each([0, 1, 10, 24, 30, 39, 40, 41, 64, 100, 2048])(
    "clipText at a limit of %d never exceeds it, and is not clipped again",
    (limit) => {
      for (const length of [limit, limit + 1, limit + 7, 1000, 123_456]) {
        const once = clipText("ab\n".repeat(length).slice(0, length), limit);
        expect(once.length).toBeLessThanOrEqual(limit);
        expect(clipText(once, limit)).toBe(once);
      }
    },
  );

  it.each([59, 60, 61, 62, 63, 11, 12])("clipText does not cut an emoji in half at a limit of %d", (limit) => {
    for (const lead of ["", "x"]) expect(clipText(lead + "😀".repeat(200), limit)).not.toMatch(loneSurrogate);
  });
});

describe("clipJson", () => {
  it("clipJson returns a value that fits as the same object", () => {
    const normalized = normalizeJson({ a: "x".repeat(99) });
    expect(clipJson(normalized, 100)).toBe(normalized.value);
  });

  it("clipJson clips long strings first and keeps the shape", () => {
    const clipped = clip(
      { exitCode: 1, stdout: "o".repeat(5000), stderr: "e".repeat(10), ok: false, none: null },
      1024,
    ) as Record<string, unknown>;
    expect(Object.keys(clipped)).toEqual(["exitCode", "stdout", "stderr", "ok", "none"]);
    expect(clipped).toMatchObject({ exitCode: 1, stderr: "e".repeat(10), ok: false, none: null });
    expect(clipped["stdout"]).toMatch(/^o+\n… \[\d+ characters cut\] …\no+$/);
  });

  it("clipJson clips a text as a text", () => {
    expect(clip("x".repeat(2000), 1000)).toBe(clipText("x".repeat(2000), 1000));
  });

  it("clipJson leaves out the rest of a list and says how many items", () => {
    const clipped = clip(
      Array.from({ length: 50 }, () => "x".repeat(100)),
      1000,
    ) as readonly string[];
    expect(clipped[0]).toBe("x".repeat(100));
    expect(clipped.length).toBeGreaterThan(5);
    expect(clipped.at(-1)).toBe(`[${String(50 - (clipped.length - 1))} more]`);
  });

  it("clipJson leaves out the rest of an object and says so", () => {
    const clipped = clip(
      Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`key-${String(n)}`, "x".repeat(100)])),
      1000,
    ) as Record<string, unknown>;
    expect(clipped["key-0"]).toBe("x".repeat(100));
    expect(clipped["key-49"]).toBeUndefined();
    expect(clipped["[more]"]).toBe(true);
  });

  it.each([
    ["many short strings", Array.from({ length: 500 }, (_, n) => `item ${String(n)}`)],
    ["nested lists", Array.from({ length: 40 }, () => ["x".repeat(70), ["y".repeat(70)]])],
    [
      "long keys",
      Object.fromEntries(Array.from({ length: 9 }, (_, n) => [`${String(n)}${"k".repeat(900)}`, "v".repeat(900)])),
    ],
    ["one long key", { ["k".repeat(50_000)]: 1 }],
    ["one long string", { a: { b: { c: "x".repeat(50_000) } } }],
    ["numbers beside strings", { numbers: Array.from({ length: 100 }, (_, n) => n), text: "x".repeat(9000) }],
  ])("clipJson brings %s under any limit, and is not clipped again", (_what, value) => {
    for (const limit of [0, 5, 16, 100, 256, 300, 1000, 4096]) {
      const once = clip(value, limit);
      expect(normalizeJson(once).size, `limit ${String(limit)}`).toBeLessThanOrEqual(limit);
      expect(clip(once, limit), `limit ${String(limit)}`).toEqual(once);
    }
  });
});

describe("characters of two halves", () => {
  const [high, low] = ["\ud83d", "\ude00"];

  it.each(["\ud800", "\udbff"])("a beginning never ends in the first half %j", (half) => {
    const text = `${"a".repeat(9)}${half}\udc00${"b".repeat(100)}`;
    expect(clipText(text, 10)).toBe("a".repeat(9));
  });

  it.each(["\udc00", "\udfff"])("an end never begins with the second half %j", (half) => {
    const text = `${"a".repeat(100)}\ud800${half}${"b".repeat(9)}`;
    expect(clipText(text, 60).endsWith(`\n${"b".repeat(9)}`)).toBe(true);
  });

  it.each(["\ue000", "\ud7ff"])("%j is a whole character and stays", (whole) => {
    expect(clipText(`${"a".repeat(9)}${whole}${"b".repeat(100)}`, 10)).toBe(`${"a".repeat(9)}${whole}`);
    expect(clipText(`${"a".repeat(100)}${whole}${"b".repeat(9)}`, 60).endsWith(`\n${whole}${"b".repeat(9)}`)).toBe(
      true,
    );
  });

  it("whole pairs stay", () => {
    expect(clipText(`${high}${low}${"b".repeat(100)}`, 2)).toBe(`${high}${low}`);
  });
});

describe("a value at its limit", () => {
  it("clipJson counts the names of members", () => {
    const wide = Object.fromEntries(
      Array.from({ length: 50 }, (_, index) => [`a-very-long-name-of-a-member-${String(index)}`, 1]),
    );
    const clipped = clip(wide, 300) as Record<string, Json>;
    expect(Object.keys(clipped).length).toBeLessThan(12);
    expect(clipped["[more]"]).toBe(true);
  });

  it("clipJson at its limit has room for the note alone, or for nothing", () => {
    const many = Array.from({ length: 100 }, () => "x".repeat(50));
    const { size } = normalizeJson(["[100 more]"]);
    expect(clip(many, size)).toEqual(["[100 more]"]);
    expect(clip(many, size - 1)).toBe(null);
  });
});
