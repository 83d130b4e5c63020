import { describe, expect, it } from "vitest";
import { parsePythonLiteral } from "./python-literal.ts";

describe("parsePythonLiteral", () => {
  it.each([
    {
      text: "{'name': 'run', 'args': {'n': 3, 'deep': [1, 2.5, (True, None)]}}",
      value: { name: "run", args: { n: 3, deep: [1, 2.5, [true, null]] } },
    },
    { text: `{"it's": 'say "hi"\\n', 'x': '\\x41\\u00e9\\''}`, value: { "it's": 'say "hi"\n', x: "Aé'" } },
    { text: "[]", value: [] },
    { text: "-1_000e2", value: -100_000 },
    { text: "{'a': 1,}", value: { a: 1 } },
    { text: "{'__proto__': {'polluted': True}}", value: JSON.parse('{"__proto__":{"polluted":true}}') as unknown },
    { text: "{'a': 1", value: undefined },
    { text: "{'a' 1}", value: undefined },
    { text: "print('x')", value: undefined },
    { text: "'open", value: undefined },
    { text: "", value: undefined },
    { text: "1 2", value: undefined },
  ])("$text", ({ text, value }) => {
    expect(parsePythonLiteral(text)).toEqual(value);
  });

  it("gives up on nesting without end", () => {
    expect(parsePythonLiteral("[".repeat(100_000))).toBeUndefined();
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });
});
