import { budget, type EndOptions, pipelinePhases, type Reason, reasons, trackRun } from "@phasekit/core";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { readRun } from "../../run-store.ts";
import { explainRun } from "../../story/explain-run.ts";
import { summarizeRun } from "../../summarize-run.ts";
import { terminalState } from "../../terminal-state.ts";
import { createLedger } from "./create-ledger.ts";
import { createFileStore } from "../file-store.ts";

const folders: string[] = [];
const folder = (): string => {
  const made = mkdtempSync(join(tmpdir(), "phasekit-ledger-"));
  folders.push(made);
  return made;
};
afterEach(() => {
  for (const made of folders.splice(0)) rmSync(made, { recursive: true });
});

describe("createLedger", () => {
  it("keeps a run that ended by a 429, resumes it, archives it with its sidecars and reads it back", async () => {
    const ledger = createLedger({ folder: folder(), graph: pipelinePhases });
    const run = ledger.start({ task: { text: "A todo backend" } });
    run.transition("database");
    run.beforeTurn();
    const refused = Object.assign(new Error("Key limit exceeded"), { status: 429 });
    await expect(trackRun(run, () => Promise.reject(refused))).rejects.toBe(refused);
    expect(run.outcome?.reason).toBe("rate_limit");

    const again = await ledger.resume(run.id);
    expect(again.view).toMatchObject({ attempt: 2, phase: "database", status: "running" });
    await trackRun(again, () => again.record({ type: "model.answered", usage: { inputTokens: 10 }, textLength: 2 }));

    const { summary } = await ledger.archive(run.id);
    const archived = ledger.readArchive(run.id);
    expect(archived).toMatchObject({ summary, problems: [] });
    expect(archived.events).toHaveLength(summary.seq);
    expect([...archived.sidecars.keys()].sort()).toEqual(["database.checkpoint.json.gz", "database.error.json.gz"]);
    expect(summary.phases.map(({ entry, attempt, success, reason }) => [entry, attempt, success, reason])).toEqual([
      ["analyze#1", 1, true, undefined],
      ["database#1", 1, false, "rate_limit"],
      ["database#1", 2, true, undefined],
    ]);
    expect(summary.phases[2]).toMatchObject({
      resumability: { available: true, reason: "rate_limit", turns: 1, lastEvent: "run.finished" },
      costSignals: { cacheHitRate: 0, failureRate: 0, inputTokensTotal: 10, inputTokensCached: 0 },
    });
    await ledger.close();
  });

  it.each((Object.keys(reasons) as Reason[]).filter((reason) => reasons[reason].blame !== "none"))(
    "resume after %s records at its start what the attempt before left, and why says so",
    async (reason: Reason) => {
      const ledger = createLedger({ folder: folder(), graph: pipelinePhases });
      const run = ledger.start();
      for (let turn = 0; turn < 2; turn += 1) {
        run.beforeTurn();
        run.record({ type: "model.answered", textLength: 1 });
      }
      run.end({ reason });
      await ledger.store.flush();
      const { resumable } = reasons[reason];
      const explained = explainRun(await readRun(ledger.store, run.id));
      expect(explained).toContain(
        resumable ? "The run can be resumed as it is." : "It is resumed only with `reopen: true`.",
      );
      if (!resumable) await expect(ledger.resume(run.id)).rejects.toMatchObject({ code: "NOT_RESUMABLE" });
      const again = await ledger.resume(run.id, { reopen: !resumable });
      again.end({ reason: "done" });
      await ledger.close();
      const summary = summarizeRun(await readRun(ledger.store, run.id));
      expect(summary).toMatchObject({ attempt: 2, reason: "done" });
      expect(summary.phases.at(-1)?.resumability).toMatchObject({
        available: true,
        reason,
        turns: 2,
        checkpointSeq: 3,
      });
    },
  );

  it.each([
    { name: "no graph", graph: undefined },
    { name: "another graph", graph: { initial: "plan", phases: { plan: { next: [] } } } },
  ])("resume with $name is an error that names the phase and changes nothing", async ({ graph }) => {
    const path = folder();
    const first = createLedger({ folder: path, graph: pipelinePhases });
    const run = first.start({ id: "r" });
    run.transition("database");
    run.end({ reason: "rate_limit" });
    await first.close();
    const second = createLedger({ folder: path, ...(graph !== undefined && { graph }) });
    const before = await readRun(second.store, "r");
    await expect(second.resume("r")).rejects.toMatchObject({ code: "OTHER_GRAPH" });
    expect(await readRun(second.store, "r")).toEqual(before);
    await second.close();
  });

  it("higher limits at a resume let a run continue that a limit ended", async () => {
    const limited = (turns: number) => ({ policies: [budget({ turns, how: "halt", soft: 1 })] });
    const ledger = createLedger({ folder: folder(), ...limited(1) });
    const run = ledger.start();
    for (let turn = 0; turn < 2; turn += 1) run.record({ type: "turn.started" });
    run.end();
    expect(run.outcome?.reason).toBe("turn_limit");
    const same = await ledger.resume(run.id);
    same.record({ type: "turn.started" });
    expect(same.beforeTurn().stop?.reason).toBe("turn_limit");
    same.end();
    const more = await ledger.resume(run.id, limited(10));
    expect(more.beforeTurn().stop).toBeUndefined();
    more.end();
    await ledger.close();
  });

  it.each<[string, EndOptions, boolean]>([
    ["named by the host", { predicate: "interface_missed" }, false],
    ["a gate that failed in the last phase", {}, true],
  ])(
    "a condition that was false at the end, %s: state, records, archive and why agree",
    async (_how, ending, checked) => {
      const ledger = createLedger({ folder: folder(), graph: pipelinePhases });
      const run = ledger.start();
      run.record({
        type: "check.finished",
        check: "resolve",
        outcome: checked ? "failure" : "success",
        count: 4,
        gate: "interface_missed",
      });
      run.end(ending);
      const { summary } = await ledger.archive(run.id);
      const { summary: archived, events = [], sidecars } = ledger.readArchive(run.id);
      expect(archived).toEqual(summary);
      expect(summary).toMatchObject({ state: "failed", reason: "done_unverified", verified: false });
      expect(summary.evidence).toEqual({ grade: "claimed", why: 'The condition "interface_missed" was not met.' });
      expect(summary.phases.at(-1)).toMatchObject({
        success: false,
        endReason: "done_unverified",
        blame: "agent",
        predicateFailure: { kind: "interface_missed", ...(checked && { count: 4 }) },
      });
      expect(summary.phases.at(-1)).not.toHaveProperty("reason");
      for (const source of [events, summary])
        expect(terminalState(source)).toEqual({ state: "failed", failure: "predicate:interface_missed" });
      expect([...sidecars.keys()]).toEqual(["analyze.checkpoint.json.gz"]);
      const explained = explainRun(events);
      expect(explained).toContain("failed (predicate:interface_missed), done_unverified");
      expect(explained).toContain(`Condition not met: interface_missed${checked ? " (4)" : ""}.`);
      await ledger.close();
    },
  );
});

describe("the folder of a store", () => {
  it.each([
    [{ folder: "runs" }, "an object"],
    [undefined, "undefined"],
    ["", "empty"],
    [7, "7"],
  ])("createFileStore(%j) says what is wrong", (given, is) => {
    expect(() => createFileStore(given as string)).toThrow(
      expect.objectContaining({
        code: "INVALID_OPTION",
        message: `The option "folder" is wrong: it must be a path, such as ".phasekit/runs", and is ${is}.`,
      }),
    );
  });
});
