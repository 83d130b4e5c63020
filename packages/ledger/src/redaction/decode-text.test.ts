import { describe, expect, it } from "vitest";
import { decodeAt, decodeBase64, decodePercent, mayBeEncoded } from "./decode-text.ts";

const LONG = "A line of text that is long enough to be wrapped, and more of it behind the first line.\n";
const base64 = Buffer.from(LONG).toString("base64");

describe("decodeAt", () => {
  it.each([
    ["base64", base64],
    ["base64url", Buffer.from(`${LONG}???>>>`).toString("base64url")],
    ["hex", Buffer.from(LONG).toString("hex")],
    ["capital hex", Buffer.from(LONG).toString("hex").toUpperCase()],
    ["wrapped base64", base64.replace(/.{76}/g, "$&\n")],
    ["wrapped base64 in JSON", base64.replace(/.{76}/g, String.raw`$&\n`)],
    ["wrapped base64 in a diff", base64.replace(/.{76}/g, "$&\n+")],
  ])("decodes %s to its end", (_what, encoded) => {
    const text = `${encoded} and more`;
    expect(mayBeEncoded(text, 0)).toBe(true);
    expect(decodeAt(text, [0])).toEqual([
      { from: 0, to: encoded.length, text: expect.stringContaining(LONG) as string },
    ]);
  });

  it("leaves the line behind base64 alone", () => {
    const [found] = decodeAt(`${base64}\nend`, [0]);
    expect(found?.to).toBe(base64.length);
  });

  it.each([
    ["bytes", Buffer.from(Array.from({ length: 64 }, (_, index) => index * 4)).toString("base64")],
    ["a hash", "3f786850e387550fdab836ed7e6dc881de23001b"],
    ["a hash that begins like text", "4142434445464748494affffffffffff"],
    ["a word", "findTokenRunsOfText"],
    ["too little", Buffer.from("hello").toString("base64")],
  ])("does not take %s for text", (_what, text) => {
    expect(decodeAt(text, [0])).toEqual([]);
  });
});

describe("decodeBase64", () => {
  it("decodes a whole value and nothing else", () => {
    expect(decodeBase64(Buffer.from("ada:secret").toString("base64"))).toBe("ada:secret");
    for (const value of ["", "YWRh:", "YWRh YWRh", "\u00ffYWRh", "gICA"]) expect(decodeBase64(value) ?? "").toBe("");
  });
});

describe("decodePercent", () => {
  it("decodes codes of ASCII only", () => {
    expect(decodePercent("a%5Fb%3d%C3%BC%zz%")).toBe("a_b=%C3%BC%zz%");
  });
});
