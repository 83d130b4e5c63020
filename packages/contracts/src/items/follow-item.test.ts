import { createRun, type Run, type RunEvent } from "@phasekit/core";
import { describe, expect, it } from "vitest";
import { readiness } from "../__fixtures__/pipeline.ts";
import { openWorkshop } from "../__fixtures__/workshop.ts";
import { completePhaseTool } from "../claims/complete-phase-tool.ts";
import { contractGate } from "../contract/contract-gate.ts";
import { contractsToGraph } from "../contract/contracts-to-graph.ts";
import { followItem } from "./follow-item.ts";
import { processClaims } from "../claims/process-claims.ts";

async function waiting(verdict: "approved" | "rejected") {
  const shop = await openWorkshop();
  const run: Run = createRun({
    id: "run-1",
    graph: contractsToGraph(readiness),
    policies: [contractGate({ contracts: readiness })],
    mode: "gate",
  });
  const events: RunEvent[] = [];
  run.subscribe((step) => events.push(...step));
  const tool = completePhaseTool({ options: shop.options, store: shop.store, item: "SYM-001", run });
  await tool.execute({
    completed_phase: "research",
    contract_version: 1,
    recommended_next_phase: "architecture",
    open_questions: ["Which index?"],
  });
  const follow = async (): Promise<void> =>
    followItem(run, { record: await shop.store.load("SYM-001"), contracts: readiness });
  const judged = () =>
    processClaims(shop.store, {
      ...shop.options,
      judge: () => ({ verdict, reason: "because", fix_instructions: "Answer it." }),
    });
  return { ...shop, run, follow, judged, types: () => events.map(({ type }) => type), last: () => events.at(-1) };
}

describe("followItem", () => {
  it("followItem does nothing while the claim waits, then moves by the judge and vouches", async () => {
    const { run, follow, judged, types } = await waiting("approved");
    await follow();
    expect(run.view.phase).toBe("research");
    await judged();
    await follow();
    expect(run.view.phase).toBe("architecture");
    expect(types().filter((type) => type === "verdict.given")).toHaveLength(1);
    // Again changes nothing.
    await follow();
    expect(types().filter((type) => type === "verdict.given" || type === "phase.transition")).toHaveLength(2);
    expect(run.beforeFinish()).toMatchObject({ accept: true, verified: true });
  });

  it("followItem tells a rejection and stays", async () => {
    const { run, follow, judged, last } = await waiting("rejected");
    await judged();
    await follow();
    expect(run.view.phase).toBe("research");
    expect(last()).toMatchObject({ type: "verdict.given", verdict: "rejected", fix: "Answer it." });
    expect(run.beforeFinish()).toMatchObject({ accept: false });
  });

  it("followItem marks what the item skipped, and never goes back", async () => {
    const shop = await openWorkshop({ phase: "grooming" });
    const run: Run = createRun({ graph: contractsToGraph(readiness) });
    const record = await shop.record();
    followItem(run, { record, contracts: readiness });
    expect(run.view.phase).toBe("grooming");
    followItem(run, { record: { ...record, item: { ...record.item, phase: "research" } }, contracts: readiness });
    followItem(run, { record: undefined, contracts: readiness });
    expect(run.view.phase).toBe("grooming");
  });
});
