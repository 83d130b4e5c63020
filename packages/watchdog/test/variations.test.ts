import { describe, expect, it } from "vitest";
import { firstAlert } from "./case-driver.ts";
import { kinds } from "./variations/index.ts";

const of = (verdict: "fire" | "silent") =>
  kinds.filter((entry) => entry.verdict === verdict).flatMap(({ kind, variations }) => variations.map((events, index) => ({ name: `${kind} (${String(index + 1)})`, events })));

describe("variations of every kind", () => {
  it("there are at least four of each", () => {
    expect(kinds.filter(({ variations }) => variations.length < 4).map(({ kind }) => kind)).toEqual([]);
  });

  it.each(of("fire"))("$name fires", ({ events }) => {
    expect(firstAlert(events)).toBeDefined();
  });

  it.each(of("silent"))("$name stays silent", ({ events }) => {
    expect(firstAlert(events)).toBeUndefined();
  });
});
