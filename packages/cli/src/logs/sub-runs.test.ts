import { codingRunOptions } from "@phasekit/coding";
import { createRun } from "@phasekit/core";
import { storeRun } from "@phasekit/ledger";
import { createFileStore } from "@phasekit/ledger/node";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { phasekitHere } from "../../test/run-cli.ts";
import type { FoundLog } from "./find-logs.ts";
import { asTree } from "./sub-runs.ts";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

describe("asTree", () => {
  const log: FoundLog = { tool: "x", title: "X", path: "/store", name: "x", updatedAt: 1, bytes: 0 };
  const row = (id: string, parent?: string) => ({
    log,
    reading: { about: { id, format: "phasekit", ...(parent !== undefined && { parent: { run: parent } }) } },
  });

  it.each([
    [
      [row("b", "a"), row("a"), row("c", "b")],
      ["a", "> b", ">> c"],
    ],
    [
      [row("x", "gone"), row("a")],
      ["x", "a"],
    ],
    [[row("a", "a")], ["a"]],
    [
      [row("a", "b"), row("b", "a")],
      ["a", "> b"],
    ],
    [[], []],
  ])("places each run below the one that started it, case %#", (rows, expected) => {
    const lines = asTree(rows).map(({ row: { reading }, depth }) => `${">".repeat(depth)} ${reading.about.id}`.trim());
    expect(lines).toEqual(expected);
  });
});

describe("sub-runs of a live session", () => {
  it("are below their parents in `runs`, and `why` names them", async () => {
    const home = mkdtempSync(join(tmpdir(), "pk-tree-"));
    folders.push(home);
    const store = createFileStore(join(home, ".phasekit", "runs"));
    const options = (task: string) => codingRunOptions({ task: { text: task } });
    const parent = createRun({ ...options("Fix the total"), id: "codex-0123", folder: "/srv/cart" });
    const child = parent.child(options("Look around") as object);
    const below = child.child(options("Read the docs") as object);
    const stored = [parent, child, below].map((run) => storeRun(run as never, store));
    for (const run of [below, child, parent]) {
      run.record({ type: "tool.finished", call: "c", tool: "Bash", input: { command: "ls" }, outcome: "ok" });
      run.end();
    }
    for (const one of stored) await one.close();
    await store.close();
    const env = { COLUMNS: "140" };
    const { out: list } = await phasekitHere(["runs"], { home, env });
    expect(list.match(/[└ ]*(?:Look around|Read the docs|Fix the total)/g)?.length).toBe(3);
    expect(list.indexOf("Fix the total")).toBeLessThan(list.indexOf("Look around"));
    expect(list.indexOf("Look around")).toBeLessThan(list.indexOf("Read the docs"));
    const { out: why } = await phasekitHere(["why", "--latest"], { home, env });
    expect(why).toContain("Codex · cart · Fix the total");
    expect(why).toMatch(/BELOW +└ Look around · 1 call .*\n +└ Read the docs · 1 call/);
  });
});
