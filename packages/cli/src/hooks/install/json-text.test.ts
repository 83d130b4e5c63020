import { describe, expect, it } from "vitest";
import { parseJsonBytes, pruneInJson, removeInJson, setInJson } from "./json-text.ts";

const files = {
  "two spaces": '{\n  "a": 1,\n  "b": { "c": [1, 2] }\n}\n',
  "tabs, no final newline": '{\n\t"a": {\n\t\t"x": []\n\t}\n}',
  CRLF: '{\r\n    "a": 1\r\n}\r\n',
  "one line": '{"a":1,"b": [1,  2]}',
  "one line with spaces": '{ "a" : 1 }\n',
  "a byte order mark": '\xEF\xBB\xBF{"a":1}',
  "duplicate names": '{"a":1,"a":{"b":2},"a":{"c":3}}',
  "numbers of any size": '{"a":123456789012345678901234567890,"b":1e400,"c":-0.0}',
  __proto__: '{"__proto__":{"x":1},"a":1}',
  "bytes that are not UTF-8": '{"a":"\xFF\xFE","\xC3(":1}',
  "marks in texts": '{"}":"]","\\"":"{\\\\","a,b":[",",":"]}',
  "an odd layout": '{\n\n "a"\n:\n[ 1\n, 2 ]\n\n\n ,"b":true}  \n\n',
} as const;

describe.each(Object.entries(files))("a file with %s", (_name, bytes) => {
  it("gets a member at the end, and is the same bytes without it", () => {
    const value = { list: [{ text: "é" }], empty: {} };
    const added = setInJson(bytes, ["new"], value);
    expect(parseJsonBytes(added)).toEqual({ ...(parseJsonBytes(bytes) as object), new: value });
    expect(removeInJson(added, ["new"])).toBe(bytes);
  });

  it("gets members below a new one, and is the same bytes without them", () => {
    const added = setInJson(setInJson(bytes, ["new", "one"], [1]), ["new", "one", 1], 2);
    expect(parseJsonBytes(added)).toMatchObject({ new: { one: [1, 2] } });
    expect(pruneInJson(added, ["new", "one"])).toBe(bytes);
  });

  it("keeps all other bytes when a value is replaced", () => {
    const name = Object.keys(parseJsonBytes(bytes) as object).find((key) => key !== "__proto__") ?? "";
    const other = setInJson(bytes, [name], 7);
    expect(other.endsWith(bytes.slice(-1))).toBe(true);
    expect(parseJsonBytes(other)).toMatchObject({ [name]: 7 });
  });
});

describe("setInJson", () => {
  it("lays a new value out as the file is", () => {
    expect(setInJson('{\r\n\t"a": 1\r\n}', ["b"], { c: [1] })).toBe(
      '{\r\n\t"a": 1,\r\n\t"b": {\r\n\t\t"c": [\r\n\t\t\t1\r\n\t\t]\r\n\t}\r\n}',
    );
    expect(setInJson('{"a" : 1, "b" : 2}', ["c"], { d: [1] })).toBe('{"a" : 1, "b" : 2, "c" : {"d":[1]}}');
    expect(setInJson('{\n  "a": {"x": 1}}', ["a", "y"], 2)).toBe('{\n  "a": {"x": 1,\n    "y": 2}}');
  });

  it.each(["", " \n", "{}", "{ }\n", "{\n}\n", "\xEF\xBB\xBF", "\xEF\xBB\xBF{}"])("adds lines to %j", (bytes) => {
    const added = setInJson(bytes, ["a"], 1);
    expect(added).toContain('{\n  "a": 1\n}');
    expect(added.startsWith("\xEF\xBB\xBF")).toBe(bytes.startsWith("\xEF\xBB\xBF"));
  });

  it("works at any depth of other values", () => {
    const deep = `{"a":${"[".repeat(100_000)}${"]".repeat(100_000)},"b":1}`;
    expect(removeInJson(setInJson(deep, ["c"], 1), ["b"])).toBe(deep.replace(',"b":1', ',"c":1'));
  });
});

describe("removeInJson", () => {
  it.each([
    ['{"a":1,"b":2,"c":3}', ["a"], '{"b":2,"c":3}'],
    ['{"a":1,"b":2,"c":3}', ["b"], '{"a":1,"c":3}'],
    ['{"a":1,"b":2,"c":3}', ["c"], '{"a":1,"b":2}'],
    ['{ "a" : 1 }', ["a"], "{}"],
    ["[ 1 , 2 , 3 ]", [1], "[ 1 , 3 ]"],
    ['{"a":1}', ["b"], '{"a":1}'],
    ['{"a":1}', ["a", "b"], '{"a":1}'],
    ['{"a":{"b":1},"c":2}', ["a", "b"], '{"a":{},"c":2}'],
  ] as const)("of %s at %j gives %s", (bytes, path, left) => {
    expect(removeInJson(bytes, path)).toBe(left);
  });
});
