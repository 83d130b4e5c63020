import { describe, expect, it } from "vitest";
import { firstAlert, type LoopCase } from "./case-driver.ts";
import cases from "./cases/loop-cases.json" with { type: "json" };

const all = cases as unknown as readonly LoopCase[];
const of = (consensus: LoopCase["consensus"]): readonly LoopCase[] => all.filter((entry) => entry.consensus === consensus);

describe("loop cases", () => {
  it.each(of("fire"))("$id fires: $name", ({ events }) => {
    expect(firstAlert(events)).toBeDefined();
  });

  it.each(of("silent"))("$id stays silent: $name", ({ events }) => {
    expect(firstAlert(events)).toBeUndefined();
  });
});
