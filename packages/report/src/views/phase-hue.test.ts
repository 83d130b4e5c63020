import { describe, expect, it } from "vitest";
import { phaseHue } from "./phase-hue.ts";

describe("phaseHue", () => {
  it("one name has one hue, whatever else the run holds", () => {
    expect(phaseHue("acting")).toBe(phaseHue("acting"));
    expect(phaseHue("triage")).toBe(phaseHue("triage"));
  });

  it("the phases of coding are far apart", () => {
    const hues = ["exploring", "planning", "acting", "verifying"].map(phaseHue).sort((a, b) => a - b);
    for (const [index, hue] of hues.entries())
      if (index > 0) expect(hue - (hues[index - 1] ?? 0)).toBeGreaterThanOrEqual(50);
  });

  it("a phase with a name of Object.prototype has a hue", () => {
    for (const name of Object.getOwnPropertyNames(Object.prototype)) expect(phaseHue(name)).toBeTypeOf("number");
  });

  it("no name has the red of failures", () => {
    for (let index = 0; index < 2000; index += 1) {
      const hue = phaseHue(`phase-${String(index)}`);
      expect(hue).toBeGreaterThanOrEqual(50);
      expect(hue).toBeLessThanOrEqual(350);
    }
  });
});
