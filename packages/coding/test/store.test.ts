import { codingRun } from "@phasekit/coding";
import { trackRun } from "@phasekit/core";
import { storedRunOf, createMemoryStore, readRun } from "@phasekit/ledger";
import { createFileStore } from "@phasekit/ledger/node";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

const PROGRAM = fileURLToPath(new URL("store-program.ts", import.meta.url));
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "phasekit-keep-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function play(program: string, { env = {} }: { readonly env?: Readonly<Record<string, string>> } = {}) {
  const { status, stderr } = spawnSync(process.execPath, [PROGRAM, program], {
    cwd: folder,
    encoding: "utf8",
    env: { ...process.env, ...env },
  });
  const store = createFileStore(join(folder, ".phasekit/runs"));
  const events = await readRun(store, "kept");
  await store.close();
  return { status, stderr, events, last: events.at(-1) };
}

describe("codingRun({ store: true })", () => {
  it.each(["returns", "tracked"])(
    "a program that %s leaves a run that has ended, and a line that leads to it",
    async (name) => {
      const { status, stderr, last } = await play(name);
      expect({ status, last: last?.type }).toEqual({ status: 0, last: "run.finished" });
      expect(stderr).toMatch(/^phasekit: \w+, no check needed\. Why: npx phasekit why kept\n$/);
    },
  );

  it.each(["exits", "exitsLater"])("a program that %s by process.exit() leaves an interrupted run", async (name) => {
    const { status, events, last } = await play(name);
    expect(status).toBe(3);
    expect(events.map(({ type }) => type)).toContain("tool.finished");
    expect(last).toMatchObject({ type: "run.finished", reason: "interrupted" });
  });

  it("a program that throws leaves a run with its error", async () => {
    const { status, stderr, events, last } = await play("throws");
    expect({ status, last: last?.type }).toEqual({ status: 1, last: "run.finished" });
    expect(stderr).toContain("the model is gone");
    expect(events.some((event) => event.type === "run.finished" && event.reason !== "done")).toBe(true);
  });

  it("a folder of its own and PHASEKIT_QUIET leave out the line", async () => {
    expect((await play("quiet")).stderr).toBe("");
    rmSync(join(folder, ".phasekit"), { recursive: true });
    expect((await play("returns", { env: { PHASEKIT_QUIET: "1" } })).stderr).toBe("");
  });

  it("a second run with the same id is reported and leaves the first as it is", async () => {
    const { stderr, events } = await play("twice");
    expect(events.filter(({ type }) => type === "run.started")).toHaveLength(1);
    expect(stderr).toMatch(/PhasekitWarning: A run is not stored: .*kept/);
  });

  it("`store` accepts the path of a folder", async () => {
    await play("path");
    expect(existsSync(join(folder, "elsewhere"))).toBe(true);
  });
});

describe("codingRun({ store })", () => {
  it("store.close() waits for the end of a run that is being stored", async () => {
    const store = createFileStore(folder);
    const run = codingRun({ store: store });
    await trackRun(run, () => undefined);
    await store.close();
    const read = createFileStore(folder);
    expect((await readRun(read, run.id)).at(-1)?.type).toBe("run.finished");
    await read.close();
  });

  it("storedRunOf returns how the run is stored", async () => {
    const run = codingRun({ store: createMemoryStore() });
    run.beforeTurn();
    expect(await storedRunOf(run)?.flush()).toMatchObject({ stored: run.view.seq, waiting: 0, dropped: 0 });
    expect(storedRunOf(codingRun())).toBeUndefined();
  });

  it("a second run with the same id in one store prints a warning", async () => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);
    const store = createMemoryStore();
    for (const _ of [1, 2]) {
      const run = codingRun({ id: "same", store: store });
      await storedRunOf(run)?.flush();
    }
    expect(warn.mock.calls.flat()).toEqual([expect.stringMatching(/^phasekit: a run is not stored\. .*same/)]);
    warn.mockRestore();
  });

  it.each([{ store: 7 }, { store: "" }, { store: {} }, { store: null }])(
    "codingRun(%o) in plain JavaScript throws an error about `store`",
    (options) => {
      expect(() => codingRun(options as never)).toThrow('The option "store" is wrong');
    },
  );

  it("`without` with a misspelled name prints the names there are, in development only", () => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);
    codingRun({ without: ["fresh-test"] });
    expect(warn).not.toHaveBeenCalled();
    vi.stubEnv("PHASEKIT_DEBUG", "1");
    codingRun({ without: ["fresh-test"] });
    codingRun({ without: ["fresh-test"] });
    expect(warn.mock.calls.flat()).toEqual([expect.stringMatching(/"fresh-test".*tests-fresh/)]);
    vi.unstubAllEnvs();
    warn.mockRestore();
  });
});
