import { createRun, isPhasekitError } from "@phasekit/core";
import { describe, expect, it } from "vitest";
import { createMemoryArtifacts } from "./contract/artifact.ts";
import { contractsToGraph } from "./contract/contracts-to-graph.ts";
import { defineContracts } from "./contract/define-contracts.ts";
import type { WorkLogLine } from "./items/work-log.ts";
import { createPipeline, type PipelineOptions } from "./pipeline.ts";

const contracts = defineContracts([{ phase: "plan", validation: { mode: "judge" } }, { phase: "ready" }]);
const PLAN = { completed_phase: "plan", contract_version: 1, recommended_next_phase: "ready" };

async function open(options: Partial<PipelineOptions> = {}) {
  const pipeline = createPipeline({ contracts, ...options });
  await pipeline.add({ id: "T-1" });
  const item = async () => (await pipeline.store.load("T-1"))?.item;
  return { pipeline, item };
}

describe("createPipeline", () => {
  it("rejects with a fix, approves, enters the next phase and delivers the hooks, with a judge", async () => {
    const hooks: string[] = [];
    const { pipeline, item } = await open({
      judge: ({ claim: { summary } }) => ({
        verdict: summary.includes("undo") ? "approved" : "rejected",
        reason: "A plan says how to undo it.",
      }),
      deliver: ({ name }) => void hooks.push(name),
    });
    await pipeline.submit("T-1", { ...PLAN, summary: "Add a cache." });
    const first = await pipeline.tick();
    expect(first).toMatchObject({
      advanced: [],
      rejected: [
        {
          item: "T-1",
          phase: "plan",
          code: "verdict_rejected",
          text: "A plan says how to undo it.",
          fix: "A plan says how to undo it.",
        },
      ],
      waiting: [],
      hooks: { delivered: 2, failed: 0 },
    });
    await pipeline.submit("T-1", { ...PLAN, summary: "Add a cache; undo: remove it." });
    expect(await pipeline.tick()).toMatchObject({
      advanced: [{ item: "T-1", phase: "plan", code: "judge", to: "ready" }],
      rejected: [],
    });
    expect(await item()).toMatchObject({ phase: "ready", status: "todo" });
    expect(hooks).toEqual([
      "phase_reject",
      "label_add",
      "phase_advance",
      "label_remove",
      "label_remove",
      "label_add",
      "status_change",
      "on-phase-advance",
    ]);
  });

  it("without a judge lists a review in one tick, and in reviews() until a person answers", async () => {
    const { pipeline, item } = await open();
    await pipeline.submit("T-1", PLAN);
    const { waiting, needsJudgeReview } = await pipeline.tick();
    expect(waiting).toMatchObject([{ code: "judge", text: "The contract requires a judge." }]);
    expect(needsJudgeReview).toEqual(await pipeline.reviews());
    expect(await pipeline.tick()).toMatchObject({ waiting: [], needsJudgeReview: [] });
    const [review] = await pipeline.reviews();
    await pipeline.giveVerdict(review!.id, { verdict: "approved", reason: "Clear.", judge: "ada" });
    expect(await pipeline.reviews()).toEqual([]);
    await pipeline.tick();
    expect((await item())?.phase).toBe("ready");
  });

  it("lists a review that its judge leaves to a person, and has a tool for a judging agent", async () => {
    const { pipeline } = await open({ judge: () => undefined });
    await pipeline.submit("T-1", PLAN);
    const { needsJudgeReview } = await pipeline.tick();
    expect(needsJudgeReview).toMatchObject([{ state: "person" }]);
    const tool = pipeline.verdictTool(needsJudgeReview[0]!.id, { judge: "grace" });
    expect(await tool.execute({ review: needsJudgeReview[0]!.id, verdict: "approved", reason: "ok" })).toMatchObject({
      ok: true,
    });
    expect((await pipeline.tick()).advanced).toHaveLength(1);
  });

  it("says what was wrong with the answer of a judge, in the log and to the person who gets the review", async () => {
    const lines: WorkLogLine[] = [];
    const { pipeline } = await open({
      judge: () => '{"verdict": "fine"}',
      judgeAttempts: 1,
      log: (line) => void lines.push(line),
    });
    await pipeline.submit("T-1", PLAN);
    await pipeline.tick();
    const said = [
      'The judge\'s answer is not a verdict: verdict: expected one of "approved"|"rejected", got "fine"',
      "reason: is missing.",
    ].join("; ");
    expect(lines.find(({ event }) => event === "judge_failed")).toMatchObject({ code: "verdict_invalid", text: said });
    expect((await pipeline.store.history("T-1")).comments.at(-1)?.text).toContain(said);
  });

  it("hands each line to the log alone", async () => {
    const calls: unknown[][] = [];
    const { pipeline } = await open({ log: (...given) => void calls.push(given) });
    await pipeline.submit("T-1", { ...PLAN, contract_version: 9 });
    await pipeline.tick();
    expect(calls).toEqual([[expect.objectContaining({ event: "claim_rejected", code: "contract_version" })]]);
  });

  it.each(["project", "worktree"] as const)(
    "warns about the project's copy only beside a worktree: %s",
    async (where) => {
      const lines: WorkLogLine[] = [];
      const { pipeline } = await open({
        contracts: defineContracts([{ phase: "plan", artifact_path: "plan.md" }]),
        artifacts: createMemoryArtifacts({ project: new Map([["plan.md", "# Plan\n"]]) }),
        log: (line) => void lines.push(line),
      });
      if (where === "worktree") await pipeline.startRun("T-1", { runId: "r", worktreePath: "/w" });
      await pipeline.submit("T-1", { ...PLAN, recommended_next_phase: null });
      await pipeline.tick();
      expect(lines.map(({ event }) => event)).toEqual(
        where === "project" ? ["claim_advanced"] : ["artifact_warning", "claim_advanced"],
      );
    },
  );

  it("lets a run follow its item, and holds and releases an item", async () => {
    const held = defineContracts([{ phase: "plan", max_runs: 1 }, { phase: "ready" }]);
    const { pipeline, item } = await open({ contracts: held });
    const run = createRun({ graph: contractsToGraph(pipeline.contracts), item: { id: "T-1" } });
    await pipeline.startRun("T-1", { runId: run.id });
    const { id } = await pipeline.submit("T-1", PLAN, { run: run.id, idempotencyKey: "k" });
    expect((await pipeline.submit("T-1", PLAN, { run: run.id, idempotencyKey: "k" })).id).toBe(id);
    expect(await pipeline.decide("T-1", id)).toMatchObject({ outcome: "advanced", code: "structural", to: "ready" });
    expect(await pipeline.decide("T-1", id)).toMatchObject({ outcome: "advanced", code: "structural" });
    await pipeline.follow(run, "T-1");
    expect(run.view.phase).toBe("ready");
    await pipeline.endRun("T-1", { runId: run.id });
    expect((await item())?.runs[0]?.endedAt).not.toBeNull();
    const again = createPipeline({
      store: pipeline.store,
      contracts: defineContracts([{ phase: "ready", max_runs: 1 }]),
    });
    await expect(again.startRun("T-1", { runId: "second" })).rejects.toMatchObject({ code: "ITEM_HELD" });
    expect(await pipeline.release("T-1", { by: "ada" })).toBe(true);
    expect(await pipeline.release("T-1", { by: "ada" })).toBe(false);
  });

  it("limits undecided claims, and dispatches an expired item `maxExpiries` times", async () => {
    let now = Date.parse("2026-01-01T00:00:00Z");
    const { pipeline, item } = await open({ maxOpenClaims: 2, maxExpiries: 2, clock: () => now });
    await pipeline.submit("T-1", PLAN);
    await pipeline.submit("T-1", PLAN);
    await expect(pipeline.submit("T-1", PLAN)).rejects.toMatchObject({ code: "TOO_MANY_CLAIMS" });
    const [review] = (await pipeline.tick()).needsJudgeReview;
    await pipeline.giveVerdict(review!.id, { verdict: "rejected", reason: "thin", judge: "ada" });
    await pipeline.tick();
    for (const status of ["todo", "todo", "blocked"]) {
      now += 31 * 60_000;
      expect((await pipeline.tick()).expired).toEqual(["T-1"]);
      expect((await item())?.status).toBe(status);
      if (status === "blocked") return;
      await pipeline.submit("T-1", { ...PLAN, contract_version: 9 });
      await pipeline.tick();
    }
  });

  it.each([
    { judgeAttempts: 0 },
    { judgeConcurrency: "four" },
    { hookAttempts: Number.NaN },
    { hookRetryMs: -1 },
    { leaseMs: 0 },
    { restMs: -1 },
    { maxOpenClaims: 0 },
    { maxExpiries: "no" },
  ])("refuses %j", (options) => {
    const make = (): unknown => createPipeline({ contracts, ...(options as object) });
    expect(make).toThrow();
    try {
      make();
    } catch (error) {
      expect(isPhasekitError(error, "INVALID_OPTION")).toBe(true);
    }
  });
});

describe("complete_phase and a tick", () => {
  const LONG = "# Plan\n\nA plan of more than forty visible characters in one line.\n";
  it.each([
    { name: "22 characters, no min_length", fields: {}, text: "# Plan\n\nA short plan.\n" },
    { name: "no heading, no is_markdown", fields: {}, text: "just text" },
    { name: "22 characters, min_length 40", fields: { min_length: 40 }, text: "# Plan\n\nA short plan.\n" },
    { name: "40 characters, min_length 40", fields: { min_length: 40 }, text: LONG },
    {
      name: "the check min_length_reached alone",
      fields: { validation: { structural_checks: ["min_length_reached"] } },
      text: "# Plan\n",
    },
    {
      name: "no heading, is_markdown",
      fields: { validation: { structural_checks: ["is_markdown"] } },
      text: "just text",
    },
    { name: "a missing section", fields: { required_sections: ["risks"] }, text: LONG },
    {
      name: "mode trust, nothing listed",
      fields: { required_sections: ["risks"], validation: { mode: "trust" as const } },
      text: "x",
    },
    { name: "mode judge, too short", fields: { min_length: 40, validation: { mode: "judge" as const } }, text: "x" },
    { name: "mode judge", fields: { validation: { mode: "judge" as const } }, text: "x" },
    { name: "no file", fields: {}, text: undefined },
  ])("agree: $name", async ({ fields, text }) => {
    const options = {
      contracts: defineContracts([{ phase: "plan", artifact_path: "plan.md", ...fields }]),
      artifacts: createMemoryArtifacts({ project: new Map(text === undefined ? [] : [["plan.md", text]]) }),
    };
    const claim = { ...PLAN, recommended_next_phase: null };
    const ticked = (await open(options)).pipeline;
    await ticked.submit("T-1", claim);
    const { advanced, rejected, waiting } = await ticked.tick();
    const [{ outcome, code, fix } = assertFound()] = [...advanced, ...rejected, ...waiting];
    const tooled = (await open(options)).pipeline;
    const answer = await tooled.completePhaseTool("T-1").execute(claim);
    expect(answer.data).toMatchObject({ outcome, code });
    for (const line of fix?.split("\n") ?? []) expect(answer.text).toContain(line);
    // What the agent can fix in its turn is not recorded.
    expect((await tooled.store.load("T-1"))?.claims.length).toBe(outcome === "rejected" ? 0 : 1);
  });
});

function assertFound(): never {
  throw new Error("The tick decided nothing.");
}
