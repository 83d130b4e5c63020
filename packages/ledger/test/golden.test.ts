import { replayRun, type RunEvent } from "@phasekit/core";
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { readRun, summarizeRun } from "../src/index.ts";
import { createFileStore } from "../src/node.ts";

const GOLDEN = `${import.meta.dirname}/golden`;

// Logs of every version that was ever released stay here and must read, replay and sum up the same for ever.
describe.each(readdirSync(GOLDEN))("the golden log %s", (version) => {
  const store = createFileStore(`${GOLDEN}/${version}`);

  it("is whole, replays, and sums up to the same", async () => {
    expect(await store.inspect("golden")).toMatchObject({ integrity: "whole", damage: [], forks: [] });
    const events: readonly RunEvent[] = await readRun(store, "golden");
    expect(events.length).toBeGreaterThan(20);
    expect(() => replayRun(events)).not.toThrow();
    expect(`${JSON.stringify(summarizeRun(events), undefined, 2)}\n`).toBe(readFileSync(`${GOLDEN}/${version}/summary.json`, "utf8"));
  });
});
