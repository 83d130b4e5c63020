import {
  codingPhases,
  createRun,
  isPhasekitError,
  PhasekitError,
  replayRun,
  type RunEvent,
  stallReminder,
  trackRun,
} from "@phasekit/core";
import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, chmodSync, mkdirSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { storeRun, resumeRun } from "./store-run.ts";
import { classifyFailure } from "./failures/classify-failure.ts";
import { createFileStore } from "./node.ts";
import { pruneRuns } from "./prune-runs.ts";
import { readRun, type RunStore } from "./run-store.ts";
import { createMemoryStore } from "./stores/memory-store.ts";
import { summarizeRun } from "./summarize-run.ts";

const folders: string[] = [];
const folder = (): string => {
  const path = mkdtempSync(join(tmpdir(), "ledger-storing-"));
  folders.push(path);
  return path;
};
afterEach(() => {
  for (const path of folders.splice(0)) rmSync(path, { recursive: true, force: true });
});

function work(run: ReturnType<typeof createRun<"working">>, turns = 3): void {
  for (let turn = 0; turn < turns; turn += 1) {
    run.beforeTurn();
    run.record({ type: "model.answered", usage: { inputTokens: 10, outputTokens: 5 } });
    const { call } = run.beforeTool({ tool: "Read", input: { path: `${String(turn)}.ts` } });
    run.record({ type: "tool.finished", call, outcome: "ok", output: "x" });
  }
}

describe("storeRun", () => {
  it.each(["memory", "file"] as const)("stores a run from its beginning to its end in a %s store", async (kind) => {
    const store = kind === "memory" ? createMemoryStore() : createFileStore(join(folder(), "runs"));
    const run = createRun({ id: "r", policies: [stallReminder({ afterTurns: 2 })] });
    const live: RunEvent[] = [];
    run.subscribe((step) => live.push(...step));
    const storing = storeRun(run, store);
    await storing.ready;
    await trackRun(run, () => work(run), { classify: (error) => classifyFailure(error).reason });
    expect(await storing.close()).toEqual({ stored: live.length, waiting: 0, dropped: 0 });
    expect(await readRun(store, "r")).toEqual(live);
    expect(await store.list()).toEqual([summarizeRun(live)]);
  });

  it("has the header on the disk before it returns", () => {
    const root = join(folder(), "runs");
    const run = createRun({ id: "r" });
    storeRun(run, createFileStore(root));
    const log = join(root, "r", "log");
    expect(
      readFileSync(
        join(
          log,
          readdirSync(log).find((name) => name.endsWith(".jsonl"))!,
        ),
        "utf8",
      ),
    ).toContain('{"type":"run.started","seq":1');
  });

  it("writes lines that any JSON tool reads, for the owner's eyes only", async () => {
    const root = join(folder(), "runs");
    const store = createFileStore(root);
    const run = createRun({ id: "r" });
    const storing = storeRun(run, store);
    work(run);
    run.end();
    await storing.close();
    const log = join(root, "r", "log");
    for (const name of readdirSync(log)) expect(statSync(join(log, name)).mode & 0o777).toBe(0o600);
    for (const path of [root, join(root, "r"), log]) expect(statSync(path).mode & 0o777).toBe(0o700);
    const lines = readFileSync(join(log, "0001-0001.jsonl"), "utf8").trimEnd().split("\n");
    for (const line of lines) expect(() => JSON.parse(line) as unknown).not.toThrow();
    expect(lines.filter((line) => line.startsWith('{"type":')).length).toBe(run.view.seq);
  });

  it("refuses a folder that others may write to, and a link in its place", async () => {
    const run = createRun({ id: "r" });
    const open = folder();
    chmodSync(open, 0o777);
    await expect(storeRun(run, createFileStore(open)).ready).rejects.toMatchObject({ code: "UNSAFE_DIRECTORY" });
    const safe = folder();
    mkdirSync(join(safe, "runs"), { mode: 0o700 });
    mkdirSync(join(safe, "elsewhere"));
    symlinkSync(join(safe, "elsewhere"), join(safe, "runs", "r"));
    await expect(storeRun(run, createFileStore(join(safe, "runs"))).ready).rejects.toMatchObject({
      code: "UNSAFE_DIRECTORY",
    });
    expect(readdirSync(join(safe, "elsewhere"))).toEqual([]);
  });

  it("removes secrets from derived events too, and withholds what the redactor cannot handle", async () => {
    const secret = `sk-proj-${"aB3x".repeat(12)}`;
    const store = createMemoryStore();
    const run = createRun({ id: "r" });
    const storing = storeRun(run, store);
    run.transition("working", { why: secret });
    run.record({ type: "message.sent", text: `my key is ${secret}` });
    await storing.close();
    expect(JSON.stringify(await readRun(store, "r"))).not.toContain(secret.slice(8, 30));

    const broken = createMemoryStore();
    const second = createRun({ id: "r", task: { text: secret } });
    const withheld = storeRun(second, broken, {
      redact: () => {
        throw new Error("no");
      },
    });
    second.record({ type: "message.sent", text: secret });
    expect((await withheld.close()).dropped).toBe(0);
    const stored = await readRun(broken, "r");
    expect(JSON.stringify(stored)).not.toContain(secret);
    expect(() => replayRun(stored)).not.toThrow();
  });

  it("never breaks the run: a failing store is tried again with the next step and reported once", async () => {
    const inner = createMemoryStore();
    let broken = false;
    const store: RunStore = {
      ...inner,
      append: (...args) =>
        broken ? Promise.reject(new PhasekitError("STORE_UNAVAILABLE", "full")) : inner.append(...args),
    };
    const problems: unknown[] = [];
    const run = createRun({ id: "r" });
    const storing = storeRun(run, store, { onError: (problem) => problems.push(problem) });
    await storing.flush();
    broken = true;
    work(run, 5);
    const during = await storing.flush();
    expect(during.waiting).toBeGreaterThan(0);
    expect(problems.length).toBe(1);
    broken = false;
    run.end();
    expect(await storing.close()).toEqual({ stored: run.view.seq, waiting: 0, dropped: 0 });
    expect((await readRun(inner, "r")).length).toBe(run.view.seq);
  });

  it("keeps a bounded number of events waiting, counts the rest, and stores a beginning without gaps", async () => {
    const inner = createMemoryStore();
    let broken = false;
    const store: RunStore = {
      ...inner,
      append: (...args) =>
        broken ? Promise.reject(new PhasekitError("STORE_UNAVAILABLE", "full")) : inner.append(...args),
    };
    const run = createRun({ id: "r" });
    const storing = storeRun(run, store, { maxWaiting: 20 });
    await storing.flush();
    broken = true;
    work(run, 50);
    broken = false;
    const status = await storing.close();
    expect(status.dropped).toBeGreaterThan(0);
    expect(status.stored + status.dropped).toBe(run.view.seq);
    const stored = await readRun(inner, "r");
    expect(stored.length).toBe(status.stored);
    expect(() => replayRun(stored)).not.toThrow();
  });

  it("gives up for good when another writer is in the way", async () => {
    const store = createMemoryStore();
    storeRun(createRun({ id: "r" }), store);
    const problems: unknown[] = [];
    const second = storeRun(createRun({ id: "r" }), store, { onError: (problem) => problems.push(problem) });
    await expect(second.ready).rejects.toMatchObject({ code: "RUN_EXISTS", cause: { code: "APPEND_CONFLICT" } });
    expect(await second.close()).toMatchObject({ dropped: 1, problem: { code: "RUN_EXISTS" } });
    expect(problems.length).toBe(1);
  });

  it("prints a warning with the fix if the host has no handler", async () => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);
    const store = createMemoryStore();
    storeRun(createRun({ id: "r" }), store);
    await storeRun(createRun({ id: "r" }), store).flush();
    expect(warn.mock.calls.flat()).toEqual([
      'phasekit: a run is not stored. The run "r" is stored already: ' +
        "leave out its `id`, or continue it with `resumeRun`.",
    ]);
    warn.mockRestore();
  });
});

describe("resumeRun", () => {
  const options = { graph: codingPhases, policies: [stallReminder({ afterTurns: 2 })] };

  it("opens the next attempt of a run that was cut off at any event", async () => {
    const whole: RunEvent[] = [];
    const run = createRun({ ...options, id: "r" });
    run.subscribe((step) => whole.push(...step));
    for (let turn = 0; turn < 4; turn += 1) {
      run.beforeTurn();
      run.record({ type: "tool.finished", tool: "Edit", outcome: "ok", input: { path: "a" } });
    }
    for (let cut = 1; cut <= whole.length; cut += 1) {
      const store = createMemoryStore();
      await store.append("r", whole.slice(0, cut), { after: 0 });
      const resumed = await resumeRun(store, "r", options);
      expect(resumed.run.view.attempt).toBe(2);
      resumed.run.end();
      await resumed.stored.close();
      const stored = await readRun(store, "r");
      expect(stored.map(({ seq }) => seq)).toEqual(stored.map((_, index) => index + 1));
      expect(stored.filter(({ type }) => type === "run.resumed").length).toBe(1);
      expect(summarizeRun(stored)).toMatchObject({ attempt: 2, state: "success" });
      expect(() => replayRun(stored, options)).not.toThrow();
    }
  });

  it("refuses a run that ended, unless its user reopens it, and one that is not there", async () => {
    const store = createMemoryStore();
    const run = createRun({ id: "r" });
    const storing = storeRun(run, store);
    run.end();
    await storing.close();
    await expect(resumeRun(store, "r")).rejects.toMatchObject({ code: "NOT_RESUMABLE" });
    const { run: again, stored: second } = await resumeRun(store, "r", { reopen: true, why: "The user continued." });
    expect(again.view).toMatchObject({ status: "running", attempt: 2 });
    again.end();
    await second.close();
    expect(summarizeRun(await readRun(store, "r"))).toMatchObject({ attempt: 2, state: "success" });
    await expect(resumeRun(store, "nobody")).rejects.toMatchObject({ code: "UNKNOWN_RUN" });
  });
});

describe("endOnSignals", () => {
  it.each(["SIGINT", "SIGTERM"] as const)("%s ends the attempt as interrupted, and the process", async (signal) => {
    const root = join(folder(), "runs");
    const child = spawn(
      process.execPath,
      ["--disable-warning=ExperimentalWarning", `${import.meta.dirname}/node/__fixtures__/signalled-run.ts`, root],
      { stdio: ["ignore", "pipe", "inherit"] },
    );
    await new Promise((resolve) => child.stdout.once("data", resolve));
    child.kill(signal);
    const ended = await new Promise((resolve) => child.on("close", (code, by) => resolve(by ?? code)));
    expect(ended).toBe(signal);
    const [summary] = await createFileStore(root).list();
    expect(summary).toMatchObject({ state: "interrupted", reason: "interrupted" });
    const { run } = await resumeRun(createFileStore(root), summary!.run);
    expect(run.view.attempt).toBe(2);
  });
});

describe("pruneRuns", () => {
  async function filled(): Promise<RunStore> {
    const store = createMemoryStore();
    for (const [index, id] of ["old", "middle", "new"].entries()) {
      const run = createRun({ id, clock: () => 1000 * (index + 1) });
      const storing = storeRun(run, store);
      run.end();
      await storing.close();
    }
    return store;
  }
  it.each([
    { options: { olderThanMs: 1500 }, removed: ["old"] },
    { options: { olderThanMs: 999 }, removed: ["middle", "old"] },
    { options: { keep: 1 }, removed: ["middle", "old"] },
    { options: { keep: 2, olderThanMs: 0 }, removed: ["old"] },
    { options: { keep: 3 }, removed: [] },
    { options: { olderThanMs: 1500, dryRun: true }, removed: ["old"] },
  ])("$options removes $removed", async ({ options, removed }) => {
    const store = await filled();
    expect((await pruneRuns(store, { now: 3000, ...options })).removed).toEqual(removed);
    expect((await store.list()).length).toBe("dryRun" in options ? 3 : 3 - removed.length);
  });
  it("pruneRuns says how far it is and ends after the current run", async () => {
    const store = await filled();
    const steps: string[] = [];
    const stop = new AbortController();
    const onProgress = (done: number, total: number): void => {
      steps.push(`${String(done)}/${String(total)}`);
      stop.abort();
    };
    const { removed } = await pruneRuns(store, { now: 9000, olderThanMs: 1, onProgress, signal: stop.signal });
    expect(removed).toEqual(["new"]);
    expect(steps).toEqual(["0/3"]);
  });

  it("needs a limit", async () => {
    const store = await filled();
    await expect(pruneRuns(store, { now: 1 })).rejects.toSatisfy((error) => isPhasekitError(error, "INVALID_OPTION"));
  });
});
