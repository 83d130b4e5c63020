import { describe, expect, it } from "vitest";
import { LINE_END, scanWords } from "./scan-words.ts";

const scan = (
  text: string,
  values = true,
  room = 1000,
): { readonly print: number; readonly words: readonly number[] } => {
  const words = new Int32Array(room);
  const { length, print } = scanWords(text, words, { values });
  return { print, words: [...words.subarray(0, length)] };
};
const print = (text: string, values = true): number => scan(text, values).print;

describe("scanWords", () => {
  it.each([
    { name: "case and spaces", a: "Not  found", b: "not found" },
    { name: "a time of day", a: "done at 12:31:05", b: "done at 09:02:44" },
    { name: "a date", a: "since 2024-08-22", b: "since 2023-01-30" },
    { name: "an id", a: "commit 9d9c99f", b: "commit 2a878fb" },
    { name: "a UUID", a: "id c6a500ae-4734-45ed-aad4-953ea147e675", b: "id 7e0fccf2-f4c0-444d-a904-32c9a6db0eba" },
    { name: "a duration", a: "0.43 s, up 12m30s", b: "0.91 s, up 14m2s" },
    { name: "a duration in words", a: "about 7 minutes ago", b: "about 12 minutes ago" },
    { name: "a value named after a unit of time", a: '{"elapsed_ms": 11}', b: '{"elapsed_ms": 35}' },
    { name: "an address", a: "object at 0x7f3a2b1c", b: "object at 0x55aa9012" },
    { name: "line numbers of a longer text", a: "1\tlet\n2\ta\n3\tb\n4\tc", b: "7\tlet\n8\ta\n9\tb\n10\tc" },
  ])("reads texts that differ in $name as equal", ({ a, b }) => {
    expect(print(a)).toBe(print(b));
  });

  it.each([
    { name: "a count", a: "3 of 40 done", b: "4 of 40 done" },
    { name: "a count before a word that begins like a unit", a: "3 steps", b: "4 steps" },
    { name: "a short value", a: "31 °C", b: "58 °C" },
    { name: "a word", a: "tests passed", b: "tests failed" },
    { name: "a word in another script", a: "готово", b: "ошибка" },
  ])("tells texts apart that differ in $name", ({ a, b }) => {
    expect(print(a)).not.toBe(print(b));
  });

  it("ignores every number when numbers are not values", () => {
    expect(print("line 31: not found", false)).toBe(print("line 46: not found", false));
  });

  it("counts lines that have words", () => {
    const { words } = scan("one\n\n---\ntwo\n");
    expect(words.filter((word) => word === LINE_END)).toHaveLength(2);
    expect(words).toHaveLength(4);
  });

  it("cuts a text with more words than the list takes", () => {
    expect(scan("a b c d e f g h", true, 6).words.length).toBeLessThanOrEqual(6);
  });
});
