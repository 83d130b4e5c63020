import { globSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { alertKinds } from "./alert-kinds.ts";

const cwd = new URL("../../../watchdog/src/", import.meta.url);

describe("alertKinds", () => {
  const sources = globSync("**/*.ts", { cwd }).filter((name) => !name.endsWith(".test.ts"));
  const texts = sources.map((name) => readFileSync(new URL(name, cwd), "utf8"));
  const alerts = texts.flatMap((text) => [...text.matchAll(/alert\(\{\s*kind: "([a-z-]+)"/g)].map(([, kind]) => kind));
  const patterns = texts.flatMap((text) =>
    [...text.matchAll(/\{\s*name: "([a-z-]+)",\s*count/g)].map(([, name]) => name),
  );

  it("alertKinds explains every alert and pattern of the watchdog, and no other", () => {
    expect(alerts.length).toBeGreaterThan(7);
    expect(patterns.length).toBeGreaterThan(5);
    expect(Object.keys(alertKinds).toSorted()).toEqual([...new Set([...alerts, ...patterns, "text"])].toSorted());
  });
});
