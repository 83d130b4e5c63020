import { describe, expect, it } from "vitest";
import { RESEARCH } from "../__fixtures__/pipeline.ts";
import { openWorkshop } from "../__fixtures__/workshop.ts";
import { deliverHooks } from "./deliver-hooks.ts";
import { processClaims } from "../claims/process-claims.ts";
import { defineContracts } from "../contract/define-contracts.ts";
import type { HookMessage } from "../stores/work-store.ts";

async function advanced(claim: Parameters<Awaited<ReturnType<typeof openWorkshop>>["claim"]>[0] = {}) {
  const shop = await openWorkshop();
  await shop.claim(claim);
  await processClaims(shop.store, shop.options);
  const got: HookMessage[] = [];
  const deliver = (more: Partial<Parameters<typeof deliverHooks>[1]> = {}) =>
    deliverHooks(shop.store, { deliver: (message) => void got.push(message), clock: shop.now, ...more });
  return { ...shop, got, deliver };
}

describe("deliverHooks", () => {
  it("deliverHooks delivers the issue events of an advancement in order, then the hook with its item", async () => {
    const shop = await advanced();
    expect(await shop.deliver()).toEqual({ delivered: 4, failed: 0 });
    expect(shop.got.map(({ name, payload: { state: _state, ...payload } }) => [name, payload])).toEqual([
      ["phase_advance", { item: "SYM-001", from: "research", to: "architecture", claim: "id-1", code: "structural" }],
      ["label_remove", { item: "SYM-001", label: "phase:research" }],
      ["label_add", { item: "SYM-001", label: "phase:architecture" }],
      [
        "on-phase-advance",
        { item: "SYM-001", project: { name: "demo" }, phase: "architecture", from: "research", claim: "id-1" },
      ],
    ]);
    expect(shop.got.at(-1)!.payload["state"]).toEqual(await shop.item());
    expect(new Set(shop.got.map(({ id }) => id)).size).toBe(4);
    expect(await shop.deliver()).toEqual({ delivered: 0, failed: 0 });
  });

  it("deliverHooks tells a rejection, a status change and a skip", async () => {
    const shop = await advanced({ contract_version: 0 });
    await shop.deliver();
    expect(shop.got.map(({ name }) => name)).toEqual(["phase_reject", "label_add"]);
    expect(shop.got[0]!.payload).toMatchObject({ phase: "research", code: "contract_version", rejections: 1 });
    shop.pass(31 * 60_000);
    await processClaims(shop.store, shop.options);
    await shop.deliver();
    expect(shop.got.slice(2).map(({ name, payload }) => [name, payload["to"] ?? payload["label"]])).toEqual([
      ["label_remove", "needs-revision"],
      ["status_change", "todo"],
    ]);

    const skipping = await openWorkshop({
      contracts: defineContracts([{ phase: "research" }, { phase: "architecture" }, { phase: "ready" }]),
    });
    await skipping.claim({ skip_to: "ready", skip_reason: "small" });
    await processClaims(skipping.store, skipping.options);
    const names: string[] = [];
    await deliverHooks(skipping.store, { deliver: ({ name }) => void names.push(name), clock: skipping.now });
    expect(names).toEqual([
      "phase_advance",
      "phase_skip",
      "label_remove",
      "label_add",
      "label_add",
      "status_change",
      "on-phase-advance",
    ]);
  });

  it("deliverHooks tries again with longer pauses until it succeeds; later hooks of the item wait", async () => {
    const shop = await advanced();
    let down = true;
    const tries: number[] = [];
    const deliver = (message: HookMessage): void => {
      if (message.name === "phase_advance") tries.push(shop.now());
      if (down) throw new Error("503");
      shop.got.push(message);
    };
    for (let second = 0; second < 20; second += 1) {
      await deliverHooks(shop.store, { deliver, clock: shop.now, log: shop.options.log! });
      shop.pass(1000);
    }
    expect(tries.map((at) => (at - tries[0]!) / 1000)).toEqual([0, 1, 3, 7, 15]);
    expect(shop.got).toEqual([]);
    expect(shop.lines.filter(({ event }) => event === "hook_failed")).toHaveLength(5);
    down = false;
    shop.pass(300_000);
    expect(await deliverHooks(shop.store, { deliver, clock: shop.now })).toEqual({ delivered: 4, failed: 0 });
    expect(shop.got.map(({ name }) => name)).toEqual([
      "phase_advance",
      "label_remove",
      "label_add",
      "on-phase-advance",
    ]);
  });

  it("deliverHooks puts a message aside after the tries it was given, so that the others go out", async () => {
    const shop = await advanced();
    const deliver = (message: HookMessage): void => {
      if (message.name === "label_remove") throw new Error("no such label");
      shop.got.push(message);
    };
    for (let n = 0; n < 4; n += 1) {
      await deliverHooks(shop.store, { deliver, clock: shop.now, hookAttempts: 3 });
      shop.pass(10_000);
    }
    expect(shop.got.map(({ name }) => name)).toEqual(["phase_advance", "label_add", "on-phase-advance"]);
  });

  it("deliverHooks delivers again what a dead worker had taken", async () => {
    const shop = await advanced();
    await shop.store.takeHooks({ leaseMs: 30_000, limit: 10 });
    expect(await shop.deliver()).toEqual({ delivered: 0, failed: 0 });
    shop.pass(30_000);
    expect((await shop.deliver()).delivered).toBe(4);
  });
});

describe("the end of the pipeline", () => {
  async function completed() {
    const shop = await openWorkshop({ phase: "ready" });
    await shop.claim({ completed_phase: "ready", recommended_next_phase: null });
    await processClaims(shop.store, shop.options);
    return shop;
  }

  it("the end of the pipeline opens one change request and says so", async () => {
    const shop = await completed();
    const names: string[] = [];
    const keys: string[] = [];
    const createChangeRequest = (_item: unknown, { key }: { readonly key: string }) => {
      keys.push(key);
      return Promise.resolve({ id: "PR-7", url: "https://example.test/7" });
    };
    await deliverHooks(shop.store, {
      deliver: ({ name }) => void names.push(name),
      createChangeRequest,
      clock: shop.now,
    });
    expect((await shop.item()).changeRequest).toEqual({ id: "PR-7", url: "https://example.test/7" });
    expect(names).toEqual(["phase_advance", "status_change", "on-phase-advance", "pr_created"]);
    expect(keys).toHaveLength(1);
    expect((await shop.comments()).at(-1)).toBe("Change request https://example.test/7 was opened.");
  });

  it("the end of the pipeline opens no second one, also after a crash between opening and noting it", async () => {
    const shop = await completed();
    let opened = 0;
    const createChangeRequest = () => Promise.resolve({ id: `PR-${(opened += 1)}` });
    // The settling is lost: the message comes again.
    await deliverHooks(
      {
        ...shop.store,
        settleHook: async (id, settlement) => (id.endsWith(".3") ? undefined : shop.store.settleHook(id, settlement)),
      },
      { deliver: () => undefined, createChangeRequest, clock: shop.now },
    );
    shop.pass(60_000);
    await deliverHooks(shop.store, { deliver: () => undefined, createChangeRequest, clock: shop.now });
    expect(opened).toBe(1);
    expect((await shop.item()).changeRequest).toEqual({ id: "PR-1" });
  });
});

describe("promotion", () => {
  it("promotion hands over the copy made at claim time, and is in the audit trail", async () => {
    const shop = await advanced({ promote_to: "docs/research/list.md" });
    shop.project.set("docs/tickets/SYM-001/research.md", "changed later");
    const requests: unknown[] = [];
    await shop.deliver({
      promote: (request) => {
        requests.push(request);
        return Promise.resolve({ ok: true });
      },
    });
    expect(requests).toMatchObject([
      { item: "SYM-001", to: "docs/research/list.md", base: null, allowed: ["docs/research"], text: RESEARCH },
    ]);
    expect((await shop.comments()).at(-1)).toBe(
      "The artifact docs/tickets/SYM-001/research.md was promoted to docs/research/list.md.",
    );
  });

  it("that is refused is told to people and not tried again", async () => {
    const shop = await advanced({ promote_to: "docs/research/list.md" });
    let tries = 0;
    const promote = () =>
      Promise.resolve({ ok: false as const, reason: `link`, detail: `it is a link ${(tries += 1)}` });
    await shop.deliver({ promote, log: shop.options.log! });
    shop.pass(1_000_000);
    await shop.deliver({ promote });
    expect(tries).toBe(1);
    expect((await shop.comments()).at(-1)).toBe(
      "The artifact docs/tickets/SYM-001/research.md was not promoted to docs/research/list.md (link): it is a link 1",
    );
    expect(shop.lines.at(-1)).toMatchObject({ event: "promotion_refused", level: "warn", claim_id: "id-1" });
  });
});
