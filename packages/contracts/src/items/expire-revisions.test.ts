import { describe, expect, it } from "vitest";
import { openWorkshop } from "../__fixtures__/workshop.ts";
import { endItemRun, releaseItem, startItemRun } from "./item-runs.ts";
import { processClaims } from "../claims/process-claims.ts";
import { defineContracts } from "../contract/define-contracts.ts";

const MINUTE = 60_000;

async function rejected(contracts?: ReturnType<typeof defineContracts>) {
  const shop = await openWorkshop(contracts === undefined ? {} : { contracts });
  const reject = async (): Promise<void> => {
    await shop.claim({ contract_version: 0 });
    await processClaims(shop.store, shop.options);
  };
  const after = async (ms: number): Promise<readonly string[]> => {
    shop.pass(ms);
    return (await processClaims(shop.store, shop.options)).expired;
  };
  await reject();
  return { ...shop, reject, after };
}

describe("needs-revision expiry", () => {
  it("needs-revision expiry moves the item to todo once, after more than 30 minutes", async () => {
    const shop = await rejected();
    expect(await shop.after(30 * MINUTE)).toEqual([]);
    expect(await shop.after(1)).toEqual(["SYM-001"]);
    expect(await shop.item()).toMatchObject({
      status: "todo",
      labels: ["phase:research"],
      held: null,
      phase: "research",
      metrics: { phase_rejection_count: 1 },
    });
    expect((await shop.comments()).at(-1)).toBe(
      'No revision of "research" arrived within 30 minutes. The item will be dispatched again.',
    );
    expect(await shop.after(60 * MINUTE)).toEqual([]);
  });

  it("needs-revision expiry has a time of its own in each phase", async () => {
    const shop = await rejected(defineContracts([{ phase: "research", expiry: "2h" }, { phase: "architecture" }]));
    expect(await shop.after(119 * MINUTE)).toEqual([]);
    expect(await shop.after(MINUTE + 1)).toEqual(["SYM-001"]);
  });

  it("needs-revision expiry never comes while a claim is undecided", async () => {
    const shop = await rejected();
    await shop.claim({ open_questions: ["Why?"] });
    expect(await shop.after(500 * MINUTE)).toEqual([]);
    expect((await shop.item()).labels).toContain("needs-revision");
  });

  it("needs-revision expiry does not touch items that wait for nothing", async () => {
    const shop = await openWorkshop();
    shop.pass(1000 * MINUTE);
    expect((await processClaims(shop.store, shop.options)).expired).toEqual([]);
  });

  it("the second time in one stay goes to a person instead of looping", async () => {
    const shop = await rejected();
    await shop.after(31 * MINUTE);
    await shop.reject();
    expect(await shop.after(31 * MINUTE)).toEqual(["SYM-001"]);
    expect(await shop.item()).toMatchObject({
      status: "blocked",
      labels: ["phase:research", "needs-person"],
      expiries: 2,
    });
    expect((await shop.item()).held).toMatch(/expired 2 times/);
    expect(
      shop.lines.map(({ event }) => event).filter((event) => event.startsWith("item") || event.startsWith("revision")),
    ).toEqual(["revision_expired", "item_held"]);
    expect(await shop.after(500 * MINUTE)).toEqual([]);
  });

  it("needs-revision expiry is counted anew after an advancement", async () => {
    const shop = await rejected(
      defineContracts([{ phase: "research" }, { phase: "architecture" }, { phase: "ready" }]),
    );
    await shop.after(31 * MINUTE);
    await shop.claim();
    await processClaims(shop.store, shop.options);
    await shop.claim({ completed_phase: "architecture", recommended_next_phase: "ready", contract_version: 0 });
    await processClaims(shop.store, shop.options);
    expect(await shop.after(31 * MINUTE)).toEqual(["SYM-001"]);
    expect(await shop.item()).toMatchObject({ status: "todo", held: null, phase: "architecture" });
  });

  it("needs-revision expiry goes to a person at once when the item has had all its runs", async () => {
    const shop = await rejected(defineContracts([{ phase: "research", max_runs: 2 }, { phase: "architecture" }]));
    for (const runId of ["a", "b"])
      await startItemRun(shop.store, { item: "SYM-001", runId, contracts: shop.options.contracts, clock: shop.now });
    await shop.after(31 * MINUTE);
    expect(await shop.item()).toMatchObject({ status: "blocked", held: "2 runs have worked on it (max_runs 2)." });
  });
});

describe("runs of an item", () => {
  it("runs of an item are counted, and no run begins beyond max_runs", async () => {
    const shop = await openWorkshop();
    const start = (runId: string) =>
      startItemRun(shop.store, {
        item: "SYM-001",
        runId,
        worktreePath: `/w/${runId}`,
        contracts: shop.options.contracts,
        clock: shop.now,
      });
    for (let n = 1; n <= 15; n += 1) await start(`run-${n}`);
    // The same run again is the same run.
    await start("run-15");
    await expect(start("run-16")).rejects.toMatchObject({
      code: "ITEM_HELD",
      message: 'Item "SYM-001" is on hold for a person: 15 runs have worked on it (max_runs 15).',
    });
    await expect(start("run-17")).rejects.toMatchObject({ code: "ITEM_HELD" });
    expect((await shop.item()).runs).toHaveLength(15);
    await releaseItem(shop.store, { item: "SYM-001", by: "ada", clock: shop.now });
    expect((await start("run-16")).status).toBe("in_progress");
    await endItemRun(shop.store, { item: "SYM-001", runId: "run-16", clock: shop.now });
    expect((await shop.item()).runs.at(-1)).toMatchObject({
      runId: "run-16",
      endedAt: new Date(shop.now()).toISOString(),
    });
    const { version } = await shop.item();
    await endItemRun(shop.store, { item: "SYM-001", runId: "run-16", clock: shop.now });
    expect((await shop.item()).version).toBe(version);
  });
});
