import { describe, expect, it } from "vitest";
import { type ComparedWords, textScanner } from "./text-scanner.ts";
import { BoundedCounts } from "../calls/bounded-counts.ts";

const lines = textScanner();

const print = (text: string, values = true): number => lines.scanLines(text, values).print;

describe("scanLines", () => {
  it.each([
    { name: "case and spaces", a: "Not  found", b: "not found" },
    { name: "a time of day", a: "done at 12:31:05", b: "done at 09:02:44" },
    { name: "a date", a: "since 2024-08-22", b: "since 2023-01-30" },
    { name: "an id", a: "commit 9d9c99f", b: "commit 2a878fb" },
    { name: "a UUID", a: "id c6a500ae-4734-45ed-aad4-953ea147e675", b: "id 7e0fccf2-f4c0-444d-a904-32c9a6db0eba" },
    { name: "a part of a UUID", a: "id c6a500ae-4734-4eed-abcd-9f", b: "id c6a500ae-4734-4eed-beef-9f" },
    { name: "a duration", a: "0.43 s, up 12m30s", b: "0.91 s, up 14m2s" },
    { name: "a duration in words", a: "about 7 minutes ago", b: "about 12 minutes ago" },
    { name: "a value named after a unit of time", a: '{"elapsed_ms": 11}', b: '{"elapsed_ms": 35}' },
    { name: "an id that begins with letters", a: "commit fd9c99f is", b: "commit abe1234 is" },
    { name: "an address", a: "object at 0x7f3a2b1c", b: "object at 0x55aa9012" },
    { name: "line numbers of a longer text", a: "1\tlet\n2\ta\n3\tb\n4\tc", b: "7\tlet\n8\ta\n9\tb\n10\tc" },
    { name: "line numbers and none", a: "1\tlet\n2: a\n 3→b\n4 c", b: "let\na\nb\nc" },
    { name: "indentation", a: "  let\n\ta", b: "let\na" },
  ])("reads texts that differ in $name as equal", ({ a, b }) => {
    expect(print(a)).toBe(print(b));
  });

  it.each([
    { name: "a count", a: "3 of 40 done", b: "4 of 40 done" },
    { name: "a count before a word that begins like a unit", a: "3 steps", b: "4 steps" },
    { name: "a short value", a: "31 °C", b: "58 °C" },
    { name: "a word", a: "tests passed", b: "tests failed" },
    { name: "a word in another script", a: "готово", b: "ошибка" },
    { name: "the order of words", a: "a before b", b: "b before a" },
    { name: "a digit in a word", a: "step2", b: "step3" },
    { name: "a word at the beginning of a line", a: "a\nb\nc\n3rd", b: "a\nb\nc\n4th" },
  ])("tells texts apart that differ in $name", ({ a, b }) => {
    expect(print(a)).not.toBe(print(b));
  });

  it("ignores every number when numbers are not values", () => {
    expect(print("line 31: not found", false)).toBe(print("line 46: not found", false));
  });

  it("counts lines that have letters or digits", () => {
    expect(lines.scanLines("one\n\n---\ntwo 2\n", true).count).toBe(2);
    expect([...lines.starts.subarray(0, 2)]).toEqual([0, 9]);
    expect([...lines.ends.subarray(0, 2)]).toEqual([3, 14]);
  });

  it("reads only the beginning of a text that is too long", () => {
    expect(lines.scanLines("é\n".repeat(100_000), true).count).toBeLessThanOrEqual(4097);
  });
});

describe("compareWords", () => {
  const compare = (question: string, answer: string): ComparedWords => {
    const asked = new BoundedCounts(64);
    lines.collectWords(question, asked, true);
    lines.scanLines(answer, true);
    return lines.compareWords(0, asked, true);
  };

  it("counts the words that the question does not have", () => {
    expect(compare("cat a.txt", "cat: a.txt: no such file")).toMatchObject({ count: 6, unasked: 3 });
  });

  it("has the same rest for other questions with the same answer", () => {
    expect(compare("cat a.txt", "cat: a.txt: no such file").rest).toBe(compare("ls b", "ls: b: No such file").rest);
  });
});

describe("collectLines", () => {
  it("knows the lines of a text, with or without their numbers", () => {
    const asked = new BoundedCounts(64);
    lines.collectLines("let a\nlet b\nlet c\nlet d", asked, true);
    const { count } = lines.scanLines(" 11 let a\n 12 let b\n 13 let x\n 14 let d", true);
    expect([...lines.hashes.subarray(0, count)].map((hash) => asked.has(hash))).toEqual([true, true, false, true]);
  });
});
