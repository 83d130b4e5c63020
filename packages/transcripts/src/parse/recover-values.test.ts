import { describe, expect, it } from "vitest";
import { endOfValue, parsePrefix } from "./parse-prefix.ts";
import { recoverValues } from "./recover-values.ts";

describe("recoverValues", () => {
  it.each([
    { name: "NUL blocks around a record", line: `\u0000\u0000{"a":1}\u0000`, values: [{ a: 1 }], why: undefined },
    { name: "NUL blocks alone", line: "\u0000\u0000", values: [], why: "NUL characters" },
    {
      name: "records without the newline between them",
      line: '{"a":1}{"b":{"c":2}} {"d":3}',
      values: [{ a: 1 }, { b: { c: 2 } }, { d: 3 }],
      why: undefined,
    },
    {
      name: "half a record and a whole one",
      line: '{"a":"half of i{"type":"x","m":{"n":[{"o":1}]}}',
      values: [{ type: "x", m: { n: [{ o: 1 }] } }],
      why: "cut off, followed by another record",
    },
    { name: "half a record alone", line: '{"a":{"b":1', values: [], why: "broken JSON" },
    { name: "no record, but a member that is one", line: '{"a":{"b":1}', values: [], why: "broken JSON" },
    { name: "no JSON", line: "Traceback (most recent call last):", values: [], why: "broken JSON" },
  ])("reads $name", ({ line, values, why }) => {
    expect(recoverValues(line)).toEqual({ values, ...(why !== undefined && { why }) });
  });
});

describe("parsePrefix", () => {
  it.each([
    { text: '{"a":1}', value: { a: 1 } },
    { text: '{"a":[1,2,{"b":"x","c":"cut of', value: { a: [1, 2, { b: "x" }] } },
    { text: '{"a":[{"b":1},{"c', value: { a: [{ b: 1 }] } },
    { text: '[{"a":"quote \\" and ] }', value: undefined },
    { text: '[{"a":1,"b":"cut', value: [{ a: 1 }] },
    { text: '{"a":1,"b', value: { a: 1 } },
    { text: '{"a":1} {"b":2}', value: { a: 1 } },
    { text: "[", value: undefined },
    { text: "", value: undefined },
    { text: "nothing", value: undefined },
    { text: '{"a":}', value: undefined },
  ])("$text", ({ text, value }) => {
    expect(parsePrefix(text)).toEqual(value);
  });

  it("does not end a value where another bracket closes", () => {
    expect(endOfValue('{"a":1,]')).toBeUndefined();
    expect(parsePrefix('{"a":1,]')).toEqual({ a: 1 });
    expect(endOfValue('{"a":[1,2]} ')).toBe(11);
  });

  it("takes deep nesting in its stride", () => {
    const deep = "[".repeat(200_000);
    expect(endOfValue(deep)).toBeUndefined();
    expect(
      Array.isArray(parsePrefix(`{"a":1,"b":${deep}`)) || typeof parsePrefix(`{"a":1,"b":${deep}`) === "object",
    ).toBe(true);
  });
});
