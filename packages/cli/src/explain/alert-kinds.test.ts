import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { alertKinds } from "./alert-kinds.ts";

const detectors = new URL("../../../watchdog/src/detectors/", import.meta.url);

describe("alertKinds", () => {
  const sources = readdirSync(detectors).filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts")).map((name) => readFileSync(new URL(name, detectors), "utf8"));
  const kinds = new Set(sources.flatMap((source) => [...source.matchAll(/kind: (?:unknown \? )?"([a-z-]+)"(?: : "([a-z-]+)")?/g)].flatMap(([, one, other]) => [one ?? "", other ?? ""])).filter((kind) => kind.includes("-") || ["stagnation", "chanting", "silence", "waiting"].includes(kind)));

  it("explains every alert a detector of the watchdog can raise, and no other", () => {
    expect(kinds.size).toBeGreaterThan(25);
    expect(Object.keys(alertKinds).toSorted()).toEqual([...kinds].toSorted());
  });
});
