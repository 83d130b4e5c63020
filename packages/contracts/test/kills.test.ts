import { expect, it } from "vitest";
import { runKills } from "./run-kills.ts";

it("processes killed in the middle of their histories lose and double nothing", async () => {
  const { items, problems } = await runKills({ kills: 3 });
  expect(problems).toEqual([]);
  expect(items).toBeGreaterThan(0);
});
