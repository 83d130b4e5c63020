import { createRun, type RunEvent } from "@phasekit/core";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createFileStore } from "../node/file-store.ts";
import { readRun } from "../run-store.ts";
import { summarizeRun } from "../summarize-run.ts";
import { isRunSummary } from "./is-run-summary.ts";

const GOLDEN = join(import.meta.dirname, "../../test/golden");

describe("isRunSummary", () => {
  it("takes the summary of every stored log, as JSON gives it back", async () => {
    let count = 0;
    for (const version of readdirSync(GOLDEN)) {
      const store = createFileStore(join(GOLDEN, version));
      for (const { name } of readdirSync(join(GOLDEN, version), { withFileTypes: true }).filter((entry) =>
        entry.isDirectory(),
      )) {
        const summary = summarizeRun(await readRun(store, name));
        expect(isRunSummary(JSON.parse(JSON.stringify(summary))), `${version} ${name}`).toBe(true);
        count += 1;
      }
    }
    expect(count).toBeGreaterThan(10);
  });

  it("refuses a summary without one of its parts", () => {
    const events: RunEvent[] = [];
    const run = createRun({ id: "a" });
    run.subscribe((step) => events.push(...step));
    run.end({ reason: "done" });
    const summary = JSON.parse(JSON.stringify(summarizeRun(events))) as Record<string, unknown>;
    expect(isRunSummary(summary)).toBe(true);
    for (const part of ["run", "state", "phase", "mode", "startedAt", "usage", "phases"])
      expect(isRunSummary({ ...summary, [part]: undefined }), part).toBe(false);
  });
});
