import { describe, expect, it } from "vitest";
import { mergeMeanings } from "./interpreter.ts";
import type { Meaning } from "../events/meaning.ts";

describe("mergeMeanings", () => {
  it.each<[string, Meaning, Meaning, Meaning]>([
    [
      "the first that gives a field wins",
      { activity: "test" },
      { activity: "run", mutates: true },
      { activity: "test", mutates: true },
    ],
    [
      "fields are taken whole",
      { tests: { verdict: "pass" } },
      { tests: { verdict: "fail", failed: 2 } },
      { tests: { verdict: "pass" } },
    ],
    [
      "other is no answer where somebody knows better",
      { activity: "other", targets: ["a"] },
      { activity: "read" },
      { activity: "read", targets: ["a"] },
    ],
    [
      "other stays where nobody knows better",
      { activity: "other" },
      { mutates: false },
      { activity: "other", mutates: false },
    ],
    ["a second other changes nothing", { activity: "edit" }, { activity: "other" }, { activity: "edit" }],
    ["nothing and nothing", {}, {}, {}],
  ])("mergeMeanings: %s", (...[, first, second, merged]) => {
    expect(mergeMeanings(first, second)).toEqual(merged);
  });
});
