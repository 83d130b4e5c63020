import { codingPhases, type PhaseGraph, replayRun, type RunEvent } from "@phasekit/core";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { readRun, summarizeRun } from "../src/index.ts";
import { createFileStore } from "../src/node.ts";
import { viewToJson } from "./view-to-json.ts";
import { withCurrentGates } from "./with-current-gates.ts";

const GOLDEN = `${import.meta.dirname}/golden`;

// Logs of every stored format stay here and must read, replay and sum up the same. `make-golden.ts` wrote v1 and v2,
// one run each; `pnpm -C bench golden` writes the later ones: many runs, each with its expected outputs beside it.
const versions = readdirSync(GOLDEN);

describe.each(versions.filter((version) => existsSync(`${GOLDEN}/${version}/summary.json`)))(
  "the golden log %s",
  (version) => {
    const store = createFileStore(`${GOLDEN}/${version}`);

    it("is whole, replays, and sums up to the same", async () => {
      expect(await store.inspect("golden")).toMatchObject({ integrity: "whole", damage: [], forks: [] });
      const events: readonly RunEvent[] = await readRun(store, "golden");
      expect(events.length).toBeGreaterThan(20);
      expect(() => replayRun(events, { graph: codingPhases })).not.toThrow();
      expect(`${JSON.stringify(summarizeRun(events), undefined, 2)}\n`).toBe(
        readFileSync(`${GOLDEN}/${version}/summary.json`, "utf8"),
      );
    });
  },
);

const runs = versions
  .filter((version) => !existsSync(`${GOLDEN}/${version}/summary.json`))
  .flatMap((version) =>
    readdirSync(`${GOLDEN}/${version}`, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => ({ version, id: name })),
  );

describe.each(runs)("the golden run $id of $version", ({ version, id }) => {
  const store = createFileStore(`${GOLDEN}/${version}`);
  const expectedText = readFileSync(`${GOLDEN}/${version}/${id}.json`, "utf8");
  const expected = JSON.parse(expectedText) as { readonly graph: PhaseGraph };

  it("the store reads back every event byte for byte", async () => {
    expect(await store.inspect(id)).toMatchObject({ integrity: "whole", damage: [], forks: [] });
    const events: RunEvent[] = [];
    for await (const batch of store.read(id)) events.push(...batch);
    expect(events.map((event) => JSON.stringify(event))).toEqual(eventLines(`${GOLDEN}/${version}/${id}/log`));
  });

  it("replay and summary give the stored view and summary", async () => {
    const events = await readRun(store, id);
    const { run, missing } = replayRun(events, { graph: expected.graph });
    expect(missing).toEqual([]);
    const { graph } = expected;
    const actual = { graph, summary: summarizeRun(events), view: viewToJson(run.view) };
    expect(`${JSON.stringify(actual, undefined, 2)}\n`).toBe(withCurrentGates(expectedText));
  });
});

it("the golden runs of v3 hold every type of event", async () => {
  const store = createFileStore(`${GOLDEN}/v3`);
  const types = new Set<string>();
  for (const { version, id } of runs)
    if (version === "v3") for await (const batch of store.read(id)) for (const { type } of batch) types.add(type);
  expect(types.size).toBe(50);
});

/** The lines of a log that hold events, in the order they were written. */
function eventLines(folder: string): readonly string[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith(".jsonl"))
    .sort()
    .flatMap((file) => readFileSync(`${folder}/${file}`, "utf8").split("\n"))
    .filter((line) => line.startsWith('{"type":'));
}

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
