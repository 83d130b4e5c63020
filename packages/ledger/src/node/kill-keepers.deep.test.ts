import { depth } from "@phasekit/tooling/test-depth";
import { describe, expect, it } from "vitest";
import { killKeepers } from "./__fixtures__/kill-keepers.ts";

const KILLS = depth({ quick: 2, full: 4, long: 100 });

describe("kill -9 in the middle of", () => {
  it.each(["prune", "store", "export"] as const)(
    "%s loses no run and leaves nothing the next call does not clear",
    { timeout: 0 },
    async (task) => {
      const { problems, acknowledged } = await killKeepers(task, { kills: KILLS, seed: 1 });
      expect(problems).toEqual([]);
      expect(acknowledged).toBeGreaterThan(0);
    },
  );
});
