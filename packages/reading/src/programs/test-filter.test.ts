import { describe, expect, it } from "vitest";
import { testFilterOf } from "./test-filter.ts";

describe("testFilterOf", () => {
  it.each([
    ["pytest -q", undefined],
    ["pytest -k money", "money"],
    ["go test ./...", undefined],
    ["go test ./money", "./money"],
    ["go test -run TestTotal ./...", "TestTotal"],
    ["cargo test", undefined],
    ["cargo test money::", "money::"],
    ["cargo test --test money", "money"],
    ["mvn test -Dtest=MoneyTest", "MoneyTest"],
    ["npm test", undefined],
    ["npm test -- money", "money"],
    ["npm test -- --run", undefined],
    ["npx vitest -t total", "total"],
  ])("%s asks for %s", (line, filter) => {
    expect(testFilterOf(line.split(" "))).toBe(filter);
  });
});
