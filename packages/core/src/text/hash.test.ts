import { describe, expect, it } from "vitest";
import { hashText } from "./hash.ts";

describe("hashText", () => {
  it.each([
    ["", "hashText of nothing"],
    ["a", "one letter"],
    ["The quick brown fox", "a sentence"],
    ["größer 😀", "letters beyond ASCII"],
  ])("hashText gives a short text for %j", (text) => {
    expect(hashText(text)).toMatch(/^[0-9a-z]{1,11}$/);
  });

  it("hashText never changes between versions, because logs hold its results", () => {
    expect(["", "a", "The quick brown fox", "größer 😀"].map(hashText)).toMatchInlineSnapshot(`
      [
        "9jbqfk1had",
        "13860b6rvak",
        "1lnwa1fypcy",
        "1yfvq4gqzxx",
      ]
    `);
  });

  it("hashText distinguishes similar texts", () => {
    const texts = Array.from({ length: 20_000 }, (_, n) => `src/file-${String(n)}.ts`);
    expect(new Set(texts.map(hashText)).size).toBe(texts.length);
    expect(hashText("ab")).not.toBe(hashText("ba"));
    expect(hashText("a")).not.toBe(hashText("a "));
  });
});
