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

// A log that a newer version went on writing: nobody may misread it, and the runs beside it are not its hostages.
describe("a log of a newer version", () => {
  const store = createFileStore(`${import.meta.dirname}/newer`);

  it("is refused by whoever needs all of it", async () => {
    expect(await store.inspect("golden")).toMatchObject({ integrity: "whole" });
    await expect(readRun(store, "golden")).rejects.toMatchObject({ code: "UNKNOWN_EVENT" });
    const stored: RunEvent[] = [];
    for await (const batch of store.read("golden")) stored.push(...batch);
    expect(() => summarizeRun(stored)).toThrow(expect.objectContaining({ code: "UNKNOWN_EVENT" }) as Error);
    expect(() => replayRun(stored)).toThrow(expect.objectContaining({ code: "UNKNOWN_EVENT" }) as Error);
  });

  it("is listed by what comes before", async () => {
    const [summary] = await store.list();
    expect(summary).toMatchObject({ run: "golden", reason: "interrupted", attempt: 1 });
  });
});
