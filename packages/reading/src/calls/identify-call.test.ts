import { describe, expect, it } from "vitest";
import { identifyCall } from "./identify-call.ts";
import { readInput } from "./tool-input.ts";

const bash = (command: string, more: object = {}): string =>
  identifyCall({ tool: "bash", given: { command, ...more } });

describe("identifyCall", () => {
  it("names the call for people", () => {
    expect(bash("npm test")).toMatch(/^bash npm test #\w+$/);
  });

  it.each([
    { name: "the order of arguments", a: { x: 1, y: 2 }, b: { y: 2, x: 1 } },
    { name: "the order of texts", a: { method: "get", to: "x" }, b: { to: "x", method: "get" } },
    { name: "JSON text", a: { x: 1 }, b: '{"x":1}' },
    { name: "a remark", a: { x: 1, description: "first try" }, b: { x: 1, description: "once more" } },
    { name: "arguments that are not set", a: { x: 1, y: null, z: "" }, b: { x: 1 } },
    { name: "numbers as texts", a: { x: "1" }, b: { x: 1 } },
    { name: "outer spaces", a: { x: " ls " }, b: { x: "ls" } },
  ])("does not depend on $name", ({ a, b }) => {
    const identify = (input: unknown): string => identifyCall({ tool: "t", given: readInput(input) });
    expect(identify(a)).toBe(identify(b));
  });

  it.each([
    [{ content: "export const a = 1;", path: "src/a.ts" }, "src/a.ts"],
    [{ path: "src", pattern: "TODO" }, "TODO"],
    [{ method: "get", url: "https://x.test" }, "https://x.test"],
    [{ zone: "eu", account: "ada" }, "ada"],
    [{ description: "once more", id: 7 }, ""],
  ])("names %j by %j", (given, label) => {
    expect(identifyCall({ tool: "t", given }).slice(2).split(" #")[0]).toBe(label);
  });

  it("does not depend on how long a command waits first", () => {
    expect(bash("sleep 5; curl x").split("#")[1]).toBe(bash("sleep 60 && curl x").split("#")[1]);
  });

  it("tells other arguments apart, also behind a long common beginning", () => {
    const long = "x".repeat(10_000);
    expect(bash("ls")).not.toBe(bash("ls -a"));
    expect(bash(`${long}1`)).not.toBe(bash(`${long}2`));
  });

  it("takes input that has no JSON", () => {
    const circular: Record<string, unknown> = {};
    circular["self"] = circular;
    expect(identifyCall({ tool: "t", given: circular })).toMatch(/^t /);
    expect(identifyCall({ tool: "t", given: undefined })).toMatch(/^t /);
  });
});

describe("a call without input", () => {
  it("is the same call as one with an empty object", () => {
    const [none, empty, other] = [undefined, {}, { path: "a" }].map((given) => identifyCall({ tool: "list", given }));
    expect(none).toBe(empty);
    expect(other).not.toBe(empty);
  });
});
