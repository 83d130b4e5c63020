import { expect, it } from "vitest";
import { runFleet } from "./run-fleet.ts";

it("three processes on one SQLite file, one of them killed, advance every item exactly once per phase", async () => {
  const { kills: _kills, claims, ...result } = await runFleet({ processes: 3, items: 20, kills: 1 });
  expect(result).toEqual({ advances: 60, completed: 20, problems: [] });
  // Four rivals for each step, but for those that died before they claimed.
  expect(claims).toBeGreaterThan(180);
});
