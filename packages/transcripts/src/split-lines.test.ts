import { describe, expect, it } from "vitest";
import { createLineSplitter } from "./split-lines.ts";

describe("createLineSplitter", () => {
  it.each([
    { chunks: ["a\nb\n"], lines: ["a", "b"], tooLong: 0 },
    { chunks: ["a", "b\nc"], lines: ["ab", "c"], tooLong: 0 },
    { chunks: ["\n\n", "a"], lines: ["", "", "a"], tooLong: 0 },
    { chunks: ["12345\n", "123456\n", "ok"], lines: ["12345", "ok"], tooLong: 1 },
    { chunks: ["123", "456", "789", "\nok\n"], lines: ["ok"], tooLong: 1 },
    { chunks: ["1234567"], lines: [], tooLong: 1 },
    { chunks: [], lines: [], tooLong: 0 },
  ])("$chunks", ({ chunks, lines, tooLong }) => {
    const splitter = createLineSplitter({ maxLength: 5 });
    const found = [...chunks.flatMap((chunk) => splitter.push(chunk)), ...splitter.end()];
    expect(found).toEqual(lines);
    expect(splitter.takeTooLong()).toBe(tooLong);
    expect(splitter.takeTooLong()).toBe(0);
  });
});
