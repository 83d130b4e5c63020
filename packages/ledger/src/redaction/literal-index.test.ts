import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createLiteralIndex, KEY_LENGTH } from "./literal-index.ts";

const head = (literal: string): string => literal.slice(0, KEY_LENGTH);
const tail = (literal: string): string => literal.slice(-KEY_LENGTH);

/** The same by looking for every literal at every place. */
function oneByOne(
  literals: readonly string[],
  {
    text,
    from,
    to,
    keyOf,
  }: { readonly text: string; readonly from: number; readonly to: number; readonly keyOf: (literal: string) => string },
): readonly string[] {
  return literals.flatMap((literal) =>
    Array.from({ length: text.length }, (_, at) => at)
      .filter((at) => at >= from && at + KEY_LENGTH <= to && text.startsWith(keyOf(literal), at))
      .map((at) => `${String(at)} ${literal}`),
  );
}

describe("createLiteralIndex", () => {
  it.each([
    { name: "a few", many: [] },
    { name: "many", many: Array.from({ length: 1500 }, (_, n) => `other-${String(n)}-literal`) },
  ])("finds every key of $name literals, and nothing else", ({ many }) => {
    const letters = fc.constantFrom("a", "b", "ä", "€", "\ud83d", "\u0000");
    const literal = fc.string({ unit: letters, minLength: KEY_LENGTH, maxLength: 12 });
    fc.assert(
      fc.property(
        fc.uniqueArray(literal, { maxLength: 5 }),
        fc.string({ unit: letters, maxLength: 60 }),
        fc.tuple(fc.nat(20), fc.nat(60)),
        (literals, text, [from, to]) => {
          for (const keyOf of [head, tail]) {
            // Some of them are sure to be there.
            const long = text + literals.slice(0, 2).join("");
            const all = [...literals, ...many];
            const end = Math.min(to, long.length);
            const found = createLiteralIndex(all, keyOf)(long, from, end).map(
              ({ literal: one, at }) => `${String(at)} ${one}`,
            );
            expect(found.toSorted()).toEqual(oneByOne(literals, { text: long, from, to: end, keyOf }).toSorted());
          }
        },
      ),
      { numRuns: many.length > 0 ? 30 : 500 },
    );
  });

  it("finds nothing where there is nothing to look for", () => {
    expect(createLiteralIndex([], head)("a text")).toEqual([]);
  });
});
