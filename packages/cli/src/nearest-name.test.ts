import { describe, expect, it } from "vitest";
import { nearestName } from "./nearest-name.ts";

describe("nearestName", () => {
  it.each([
    ["wy", "why"],
    ["rnus", "runs"],
    ["suported", "supported"],
    // Two wrong letters of three are another word.
    ["foo", undefined],
    ["age", undefined],
    ["xylophone", undefined],
  ])("%s: %s", (name, expected) => {
    expect(nearestName(name, ["hook", "gate", "why", "runs", "supported"])).toBe(expected);
  });
});
