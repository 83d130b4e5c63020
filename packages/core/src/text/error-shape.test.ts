import { describe, expect, it } from "vitest";
import { errorToShape, messageOf } from "./error-shape.ts";

const circle = new Error("outer");
circle.cause = circle;

describe("errorToShape", () => {
  it.each<[string, unknown, object]>([
    ["an error", new TypeError("bad"), { name: "TypeError", message: "bad" }],
    [
      "code and status",
      Object.assign(new Error("x"), { code: "ECONNRESET", status: 503 }),
      { name: "Error", message: "x", code: "ECONNRESET", status: 503 },
    ],
    [
      "a code that is a number, a status by its other name",
      Object.assign(new Error("x"), { code: 7, statusCode: 429 }),
      { name: "Error", message: "x", code: "7", status: 429 },
    ],
    [
      "a status that is no number",
      Object.assign(new Error("x"), { status: "bad", code: {} }),
      { name: "Error", message: "x" },
    ],
    ["a text", "just text", { message: "just text" }],
    ["undefined", undefined, { message: "undefined" }],
    ["null", null, { message: "null" }],
    ["an object that is no error", { message: 5, name: 6 }, { message: "" }],
    [
      "a cause",
      new Error("a", { cause: new RangeError("b", { cause: "c" }) }),
      { name: "Error", message: "a", causes: [{ name: "RangeError", message: "b" }, { message: "c" }] },
    ],
    ["a null cause", new Error("a", { cause: null }), { name: "Error", message: "a" }],
    [
      "several errors in one",
      new AggregateError([new Error("a"), new Error("b")], "all"),
      {
        name: "AggregateError",
        message: "all",
        causes: [
          { name: "Error", message: "a" },
          { name: "Error", message: "b" },
        ],
      },
    ],
    ["an error that is its own cause", circle, { name: "Error", message: "outer" }],
    [
      "an error that cannot be read",
      Object.defineProperty(new Error("x"), "name", {
        get: () => {
          throw new Error("no");
        },
      }),
      { message: "an error that cannot be read" },
    ],
  ])("errorToShape keeps the useful parts of %s", (_what, error, shape) => {
    expect(errorToShape(error)).toEqual(shape);
  });

  it("errorToShape keeps at most five causes, and whole messages, so that redaction sees whole secrets", () => {
    const many = new AggregateError(
      Array.from({ length: 9 }, (_, n) => new Error(String(n))),
      "x".repeat(5000),
    );
    expect(errorToShape(many).causes?.map(({ message }) => message)).toEqual(["0", "1", "2", "3", "4"]);
    expect(errorToShape(many).message).toHaveLength(5000);
    expect(errorToShape("y".repeat(5000)).message).toHaveLength(5000);
  });

  it("errorToShape leaves out a status that no event could carry", () => {
    expect(errorToShape({ message: "x", status: Number.NaN })).toEqual({ message: "x" });
  });
});

describe("messageOf", () => {
  it.each<[unknown, string]>([
    [new TypeError("bad"), "TypeError: bad"],
    ["text", "text"],
    [undefined, "undefined"],
    [Object.create(null), "an error that cannot be read"],
  ])("messageOf %j is %s", (error, message) => {
    expect(messageOf(error)).toBe(message);
  });
});
