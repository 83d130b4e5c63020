import { describe, expect, it } from "vitest";
import { createLineSplitter } from "./split-lines.ts";

describe("createLineSplitter", () => {
  it.each([
    { chunks: ["a\nb\n"], lines: ["a", "b"] },
    { chunks: ["a", "b\nc"], lines: ["ab", "c"] },
    { chunks: ["\n\n", "a"], lines: [1, 1, "a"] },
    { chunks: ["a\n\n\n\nb"], lines: ["a", 3, "b"] },
    { chunks: ["a\n\n", "\n\nb"], lines: ["a", 1, 1, 1, "b"] },
    { chunks: ["12345\n", "123456\n", "ok"], lines: ["12345", "too long", "ok"] },
    { chunks: ["123", "456", "789", "\nok\n"], lines: ["too long", "ok"] },
    { chunks: ["1234567"], lines: ["too long"] },
    { chunks: [], lines: [] },
  ])("$chunks", ({ chunks, lines }) => {
    const found: (string | number)[] = [];
    const splitter = createLineSplitter({
      maxLength: 5,
      line: (line) => found.push(line),
      blank: (count) => found.push(count),
      tooLong: () => found.push("too long"),
    });
    for (const chunk of chunks) splitter.push(chunk);
    splitter.end();
    expect(found).toEqual(lines);
  });
});
