import { describe, expect, it } from "vitest";
import { cleanText, fitPath, fitText, padText, textWidth } from "./clean-text.ts";

describe("cleanText", () => {
  it.each([
    { what: "colours", text: "\u001b[31mred\u001b[0m", clean: "red" },
    { what: "a title (OSC) ended by BEL", text: "\u001b]0;owned\u0007after", clean: "after" },
    { what: "a hyperlink", text: "\u001b]8;;https://x\u001b\\text\u001b]8;;\u001b\\", clean: "text" },
    { what: "cursor moves and screen clears", text: "a\u001b[2J\u001b[H\u001b[10Ab", clean: "ab" },
    { what: "bare control characters", text: "a\u0000b\u0007c\bd", clean: "abcd" },
    { what: "C1 controls", text: "a\u009b31mb", clean: "ab" },
    { what: "lines and tabs", text: " one\r\n\ttwo  ", clean: "one two" },
    { what: "marks that turn the text around", text: "abc\u202Etxt.exe\u2066", clean: "abctxt.exe" },
    { what: "characters without width", text: "a\u200bb\u2060c", clean: "abc" },
    { what: "half a surrogate pair", text: "a\ud800b", clean: "ab" },
    { what: "plain text", text: "Grüße, 世界 ✓", clean: "Grüße, 世界 ✓" },
  ])("cleanText removes $what", ({ text, clean }) => {
    expect(cleanText(text)).toBe(clean);
  });

  it("cleanText reads only as much as it can show", () => {
    expect(cleanText("x".repeat(10_000_000)).length).toBeLessThan(5000);
  });
});

describe("fitText", () => {
  it.each([
    { text: "short", width: 5, fitted: "short" },
    { text: "longer", width: 5, fitted: "long…" },
    { text: "世界世界", width: 5, fitted: "世界…" },
    { text: "a b c d", width: 4, fitted: "a b…" },
  ])("fitText fits $text in $width columns", ({ text, width, fitted }) => {
    expect(fitText(text, width)).toBe(fitted);
    expect(textWidth(fitted)).toBeLessThanOrEqual(width);
  });
});

describe("paths", () => {
  it("fitPath keeps the end of a path", () => {
    expect(fitPath("/home/someone/projects/app/run.jsonl", 16)).toMatch(/^….*run\.jsonl$/);
  });

  it("padText pads by visible width", () => {
    expect(padText("\u001b[31m世\u001b[0m", 4)).toBe("\u001b[31m世\u001b[0m  ");
  });
});
