import type { Run } from "@phasekit/core";
import { createFileStore } from "@phasekit/ledger/node";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { createSessionRuns } from "./session-runs.ts";

const folders: string[] = [];
afterEach(() => {
  for (const made of folders.splice(0)) rmSync(made, { recursive: true });
});

describe("a session that comes back", () => {
  it.each<[string, (run: Run) => unknown, "restored" | "reopened" | "followed by another run"]>([
    ["just stops", () => undefined, "restored"],
    ["was interrupted", (run) => run.end({ reason: "interrupted" }), "restored"],
    ["met a 429", (run) => run.end({ error: { status: 429 } }), "restored"],
    ["was done", (run) => run.end({ reason: "done" }), "reopened"],
    ["ended for an unknown reason", (run) => run.end({ reason: "unknown" }), "reopened"],
    [
      "reached a limit",
      (run) => {
        run.stop({ by: "host", reason: "turn_limit" });
        run.end();
      },
      "followed by another run",
    ],
  ])("whose run %s", async (_how, end, expected) => {
    const folder = mkdtempSync(join(tmpdir(), "phasekit-sessions-"));
    folders.push(folder);
    const store = createFileStore(folder);
    const problems: unknown[] = [];
    const runs = createSessionRuns({ store, clock: () => 1000, onError: (problem) => problems.push(problem) });
    const rules = { mode: "nudge" } as const;
    end(runs.open("s", { ...rules, number: 1 }));
    await runs.release("s");
    const { last, readable } = await runs.restore("s", rules);
    const again = last ?? (await runs.reopen("s", { ...rules, number: 1 }));
    expect(last !== undefined ? "restored" : again !== undefined ? "reopened" : "followed by another run").toBe(
      expected,
    );
    expect([readable, again?.run.view.attempt ?? 2, problems]).toEqual([true, 2, []]);
    await store.close();
  });
});
