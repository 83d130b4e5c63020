import { describe, expect, it } from "vitest";
import { RUNNERS } from "./runner-table.ts";
import { hasMark } from "./runner.ts";
import { runnersIn } from "./runners-in.ts";

const marks = [...new Set(RUNNERS.flatMap((runner) => runner.marks))];
const oneByOne = (text: string): readonly string[] =>
  RUNNERS.filter((runner) => hasMark(runner, text)).map(({ name }) => name);
const inOnePass = (text: string): readonly string[] => runnersIn(text).map(({ name }) => name);

describe("runnersIn", () => {
  it.each(marks)("finds whose mark %j is", (mark) => {
    expect(inOnePass(`before\n${mark}after`)).toEqual(oneByOne(`before\n${mark}after`));
  });

  it("finds marks that overlap, whichever comes first", () => {
    for (const one of marks) {
      for (const other of marks) {
        for (let shared = 1; shared < Math.min(one.length, other.length); shared += 1) {
          if (!one.endsWith(other.slice(0, shared))) continue;
          const text = one + other.slice(shared);
          expect(inOnePass(text), text).toEqual(oneByOne(text));
        }
      }
    }
  });

  it("finds no runner in a text without marks, and the same the second time", () => {
    expect(inOnePass("total 8\ndrwxr-xr-x src")).toEqual([]);
    expect(inOnePass("Tests:  1 total")).toEqual(inOnePass("Tests:  1 total"));
  });
});
