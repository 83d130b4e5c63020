import { createRun, type NewEvent, type Run, type RunEvent } from "@phasekit/core";
import { describe, expect, it } from "vitest";
import { readiness, RESEARCH } from "../__fixtures__/pipeline.ts";
import { openWorkshop } from "../__fixtures__/workshop.ts";
import { completePhaseTool } from "./complete-phase-tool.ts";
import { contractGate } from "../contract/contract-gate.ts";
import { contractsToGraph } from "../contract/contracts-to-graph.ts";
import { giveVerdict } from "../reviews/give-verdict.ts";
import { pendingReviews } from "../items/items-having.ts";
import { processClaims } from "./process-claims.ts";
import { defineContracts } from "../contract/define-contracts.ts";

const GOOD = {
  completed_phase: "research",
  contract_version: 1,
  recommended_next_phase: "architecture",
  summary: "Research complete",
};

async function openTool(options: Parameters<typeof openWorkshop>[0] = {}) {
  const shop = await openWorkshop(options);
  const contracts = options.contracts ?? readiness;
  const run: Run = createRun({
    id: "run-1",
    graph: contractsToGraph(contracts),
    policies: [contractGate({ contracts })],
    mode: "gate",
    item: { id: "SYM-001" },
  });
  const events: RunEvent[] = [];
  run.subscribe((step) => events.push(...step));
  const tool = completePhaseTool({ options: shop.options, store: shop.store, item: "SYM-001", run });
  return { ...shop, run, events, tool, types: () => events.map(({ type }) => type) };
}

describe("complete_phase", () => {
  it("complete_phase moves the item, and the run follows by the judge", async () => {
    const { tool, run, item, events } = await openTool();
    expect(await tool.execute(GOOD)).toEqual({
      ok: true,
      text: 'Phase "research" is complete; now in "architecture".',
      data: { outcome: "advanced", code: "structural", claim: "id-1", phase: "architecture" },
    });
    expect([(await item()).phase, run.view.phase]).toEqual(["architecture", "architecture"]);
    expect(events.find(({ type }) => type === "phase.transition")).toMatchObject({
      from: "research",
      to: "architecture",
      actor: "judge",
      message: "Research complete",
    });
    expect(events.find(({ type }) => type === "claim.submitted")).toMatchObject({
      claim: "id-1",
      item: "SYM-001",
      phase: "research",
    });
  });

  it.each([
    { wrong: { contract_version: 9 }, says: "claim with contract_version 1" },
    { wrong: { recommended_next_phase: "ready" }, says: 'Claim with recommended_next_phase "architecture"' },
  ])("complete_phase checks $wrong before it reads the artifact", async ({ wrong, says }) => {
    const shop = await openWorkshop();
    let reads = 0;
    const artifacts = {
      read: () => {
        reads += 1;
        return Promise.reject(new Error("not to be read"));
      },
    };
    const tool = completePhaseTool({ options: { ...shop.options, artifacts }, store: shop.store, item: "SYM-001" });
    const answer = await tool.execute({ ...GOOD, ...wrong });
    expect([answer.ok, reads]).toEqual([false, 0]);
    expect(answer.text).toContain(says);
  });

  it("complete_phase without a source of artifacts is an error of the host", async () => {
    const { options, store } = await openWorkshop();
    const { artifacts: _artifacts, ...without } = options;
    expect(() => completePhaseTool({ options: without, store, item: "SYM-001" })).toThrow(
      expect.objectContaining({ code: "NO_ARTIFACT_SOURCE" }) as Error,
    );
  });

  it("complete_phase says in the same turn what is missing, without a claim and without a penalty", async () => {
    const { tool, record, project, types } = await openTool();
    project.set(
      "docs/tickets/SYM-001/research.md",
      "# Research\n\n## Problem\n\nIt is slow, and it has been slow for long.\n",
    );
    const { ok, text } = await tool.execute({ ...GOOD, contract_version: 2 });
    expect(ok).toBe(false);
    expect(text).toMatchInlineSnapshot(`
      "The phase is not complete yet. Fix this and call complete_phase again:
      - Read the contract of "research" again and claim with contract_version 1."
    `);
    expect((await tool.execute(GOOD)).text).toMatchInlineSnapshot(`
      "The phase is not complete yet. Fix this and call complete_phase again:
      - The section "Problem Statement" is missing; found "Problem" instead. Add the heading "## Problem Statement".
      - The section "Risks" is missing. Add the heading "## Risks"."
    `);
    expect((await record()).claims).toEqual([]);
    expect((await record()).item.metrics.phase_rejection_count).toBe(0);
    expect(types()).not.toContain("claim.submitted");
    project.set("docs/tickets/SYM-001/research.md", RESEARCH);
    expect((await tool.execute(GOOD)).ok).toBe(true);
  });

  it("complete_phase refuses an artifact that is missing", async () => {
    const { tool, project, record } = await openTool();
    project.clear();
    const { text } = await tool.execute(GOOD);
    expect(text).toContain('The file "docs/tickets/SYM-001/research.md" does not exist');
    expect((await record()).claims).toEqual([]);
  });

  it.each([
    { name: "nothing", input: undefined },
    { name: "a text", input: "done" },
    { name: "another item", input: { ...GOOD, item: "SYM-002" } },
    { name: "an identifier of its own", input: { ...GOOD, id: "forged" } },
    { name: "another phase", input: { ...GOOD, completed_phase: "architecture" } },
    {
      name: "a prototype",
      input: JSON.parse('{"completed_phase":"research","__proto__":{"contract_version":1}}') as unknown,
    },
  ])("complete_phase refuses $name and records nothing", async ({ input }) => {
    const { tool, record, run } = await openTool();
    expect((await tool.execute(input)).ok).toBe(false);
    expect((await record()).claims).toEqual([]);
    expect(run.view.phase).toBe("research");
  });

  it("a hundred times at once is one claim", async () => {
    const { tool, record } = await openTool();
    const answers = await Promise.all(Array.from({ length: 100 }, async () => tool.execute(GOOD)));
    expect((await record()).item.entry).toBe(2);
    expect((await record()).claims).toHaveLength(1);
    expect(answers.some(({ ok }) => ok)).toBe(true);
  });

  it("complete_phase hands a waiting claim to the judge and reports its rejection to the run", async () => {
    const shop = await openTool();
    const waiting = await shop.tool.execute({ ...GOOD, open_questions: ["Which index?"] });
    expect(waiting).toMatchObject({ ok: true, data: { outcome: "waiting" } });
    expect(shop.run.view.phase).toBe("research");
    expect(shop.run.beforeFinish()).toMatchObject({ accept: true, verified: false });
    const [review] = await pendingReviews(shop.store, shop.options);
    await giveVerdict(shop.store, {
      review: review!.id,
      verdict: "rejected",
      reason: "thin",
      fix_instructions: "Answer the question.",
      judge: "ada",
    });
    await processClaims(shop.store, shop.options);
    const again = await shop.tool.execute({ ...GOOD, open_questions: ["Which index?"] });
    expect(again).toMatchObject({
      ok: false,
      text: "The claim was rejected (verdict_rejected). Fix this and call complete_phase again:\nAnswer the question.",
    });
    expect(shop.events.findLast(({ type }) => type === "verdict.given")).toMatchObject({
      verdict: "rejected",
      fix: "Answer the question.",
    });
  });

  it("complete_phase follows a skip", async () => {
    const contracts = defineContracts([{ phase: "research" }, { phase: "architecture" }, { phase: "ready" }]);
    const { tool, run, types } = await openTool({ contracts });
    await tool.execute({ ...GOOD, skip_to: "ready", skip_reason: "small" });
    expect(run.view.phase).toBe("ready");
    expect(types()).toContain("phase.skipped");
  });

  it("complete_phase has a JSON Schema that names the fields and allows no others", async () => {
    const { tool } = await openTool();
    expect(tool.name).toBe("complete_phase");
    expect(tool.inputSchema).toMatchObject({
      type: "object",
      required: ["completed_phase"],
      additionalProperties: false,
    });
    expect(Object.keys(tool.inputSchema["properties"] as object)).toEqual(
      expect.arrayContaining(["contract_version", "skip_to", "promote_to", "open_questions"]),
    );
  });

  it("complete_phase needs no run, and survives a store that fails", async () => {
    const shop = await openWorkshop();
    const alone = completePhaseTool({ options: shop.options, store: shop.store, item: "SYM-001" });
    expect((await alone.execute(GOOD)).ok).toBe(true);
    const failing = completePhaseTool({
      options: shop.options,
      store: { ...shop.store, load: () => Promise.reject(new Error("down")) },
      item: "SYM-001",
    });
    expect(await failing.execute(GOOD)).toMatchObject({ ok: false, text: "The claim was not recorded: down" });
  });
});

describe("the agent's own word", () => {
  it("the agent's own word does not move a run on a graph of contracts", async () => {
    const { run } = await openTool();
    expect(run.transition("architecture", { by: "agent" })).toBe(false);
    expect(run.view.phase).toBe("research");
    const fact: NewEvent = { type: "message.sent", text: "The phase is complete, moving on to architecture." };
    run.record(fact);
    expect(run.view.phase).toBe("research");
  });
});
