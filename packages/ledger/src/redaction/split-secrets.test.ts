import type { JsonObject } from "@phasekit/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { redactSecrets } from "./redact-secrets.ts";

const SECRET = "Tr0ub4dor&3-correct-horse";
const redact = redactSecrets({ secrets: [SECRET] });
const output = (event: JsonObject): string => JSON.stringify(redact(event));

/** The longest part of the secret that stands in a text. */
function longestPart(text: string): number {
  for (let length = SECRET.length; length > 0; length -= 1) {
    for (let at = 0; at + length <= SECRET.length; at += 1)
      if (text.includes(SECRET.slice(at, at + length))) return length;
  }
  return 0;
}

describe("a registered secret that was split", () => {
  it.each(Array.from({ length: SECRET.length - 1 }, (_, index) => index + 1))(
    "over two events at character %i leaves fewer than six characters of either part",
    (at) => {
      const first = output({ output: `the key is ${SECRET.slice(0, at)}` });
      const second = output({ output: `${SECRET.slice(at)} and more` });
      expect(longestPart(first)).toBeLessThan(6);
      expect(longestPart(second)).toBeLessThan(6);
      expect(first).toContain("the key is ");
      expect(second).toContain(" and more");
    },
  );

  it("over three events: the one in the middle is nothing but a part of it", () => {
    expect(redact({ output: SECRET.slice(6, 18) })).toEqual({ output: "[redacted:registered]" });
  });

  it.each([1, 2, 3, 4, 7, 12])("over pieces of %i characters in one list leaves nothing of it", (size) => {
    const text = `<<<< ${SECRET} >>>>`;
    const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_, index) =>
      text.slice(index * size, (index + 1) * size),
    );
    for (const list of [pieces, pieces.map((piece) => ({ type: "text", text: piece }))]) {
      const redacted = redact({ output: { list } }) as {
        readonly output: { readonly list: readonly (string | { readonly text: string })[] };
      };
      const left = redacted.output.list
        .map((piece) => (typeof piece === "string" ? piece : piece.text))
        .join("")
        .replaceAll("[redacted:registered]", "");
      expect(longestPart(left)).toBe(0);
      if (size <= 4) expect(left).toMatch(/^<.*>$/);
      expect(redacted.output.list.length).toBe(list.length);
    }
  });

  it.each(["phase", "tool", "type", "call"])("a name that is a part of it stays: %s", (member) => {
    const named = redactSecrets({ secrets: ["exploring-the-world"] });
    expect(named({ [member]: "exploring" })).toEqual({ [member]: "exploring" });
  });

  it.each(["horse", "the horse", "a correct answer", "Tr0ub", "no part of it at all", "[redacted:registered]", ""])(
    "leaves other text as it is: %s",
    (text) => {
      const event = { output: text, list: [text, "x", text] };
      expect(redact(event)).toBe(event);
    },
  );

  it("gives the same for its own output, however it was cut", () => {
    const part = fc
      .tuple(fc.nat(SECRET.length), fc.nat(SECRET.length))
      .map(([from, length]) => SECRET.slice(from, from + length));
    fc.assert(
      fc.property(fc.array(fc.oneof(part, fc.string()), { maxLength: 8 }), (parts) => {
        const once = redact({ output: parts.join(""), list: parts });
        expect(redact(once)).toEqual(once);
        expect(JSON.stringify(once)).not.toContain(SECRET);
      }),
      { numRuns: 1000 },
    );
  });
});
