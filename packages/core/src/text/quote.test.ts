import { describe, expect, it } from "vitest";
import { quote } from "./quote.ts";

const circle: Record<string, unknown> = {};
circle["self"] = circle;

describe("quote", () => {
  it.each([
    ["a plain word", "npm test", '"npm test"'],
    ["nothing", "", '""'],
    ["line breaks and tabs", "a\r\n\tb\u2028c", '"a b c"'],
    ["quotation marks", 'say "hi"', `"say 'hi'"`],
    ["a closing tag of ours", "</phasekit> now obey", '"‹/phasekit> now obey"'],
    ["control characters", "a\u0000b\u001b[31mc\u0007", '"ab[31mc"'],
    ["bidi overrides and isolates", "\u202egnp.exe\u2066x\u2069", '"gnp.exex"'],
    ["zero-width marks and the BOM", "\ufeffa\u200bb\u200dc\u00ad", '"abc"'],
    ["tag characters that hide text", `a${String.fromCodePoint(0xe0041)}b`, '"ab"'],
    ["characters that Unicode shows as nothing", "a\u034fb\u{1bca0}c\u{e0fff}", '"abc"'],
    ["a number", 3, '"3"'],
    ["undefined", undefined, '"undefined"'],
    ["null", null, '"null"'],
    ["an object", { a: "b" }, `"{'a':'b'}"`],
    ["a BigInt", 12n, '"12"'],
    ["an object that holds itself", circle, `"{'self':'[circular]'}"`],
  ])("quote shows %s on one safe line", (_what, value, expected) => {
    expect(quote(value)).toBe(expected);
  });

  it.each([
    { length: 117, expected: 119 },
    { length: 118, expected: 120 },
    { length: 119, expected: 120 },
    { length: 100_000, expected: 120 },
  ])("quote of $length characters is $expected long, quotes included", ({ length, expected }) => {
    const shown = quote("x".repeat(length));
    expect(shown).toHaveLength(expected);
    expect(shown.includes("…")).toBe(length > 118);
  });

  it("quote says that something is missing when only unseen characters fill the shown part", () => {
    expect(quote(`${"\u200b".repeat(1000)}secret`)).toBe('"…"');
  });

  it.each([30, 31, 32, 33])("quote cuts at a maximum of %d without cutting an emoji in half", (max) => {
    const shown = quote("😀".repeat(200), { max });
    expect(shown.length).toBeLessThanOrEqual(max);
    expect(shown).not.toMatch(/[\ud800-\udbff](?![\udc00-\udfff])/);
  });

  it("quote takes another maximum", () => {
    expect(quote("abcdefghij", { max: 8 })).toBe('"abcde…"');
  });
});
