import { addItem } from "../items/add-item.ts";
import { itemChange } from "../claims/claim-change.ts";
import type { Claim } from "../claims/claim-schema.ts";
import { createMemoryArtifacts } from "../contract/artifact.ts";
import { processClaim, processClaims } from "../claims/process-claims.ts";
import { submitClaim } from "../claims/submit-claim.ts";
import type { ClaimReview } from "../reviews/verdict-schema.ts";
import type { WorkItem } from "../items/work-item.ts";
import type { WorkChange, WorkStore } from "../stores/work-store.ts";
import { defineContracts } from "../contract/define-contracts.ts";

/** Options for `describeWorkStore()`. The functions of vitest and node:test fit. */
export interface DescribeWorkStoreOptions {
  readonly describe: (name: string, body: () => void) => unknown;
  readonly it: (name: string, body: () => Promise<void>) => unknown;
}

const NOW = Date.parse("2026-01-01T00:00:00Z");
/** Leases of an hour do not end during a test, leases of no time are those of a worker that died. */
const HOUR = 3_600_000;
const clock = (): number => NOW;
const contracts = defineContracts([{ phase: "plan", artifact_path: "docs/{identifier}/plan.md" }, { phase: "build" }]);
const artifacts = createMemoryArtifacts({
  project: new Map(["A-1", "A-2", "A-3"].map((id) => [`docs/${id}/plan.md`, `# Plan of ${id}`])),
});

/**
 * Conformance suite for work stores: changes are atomic and apply only to the version they read, no item advances
 * twice, and hooks are delivered in order and at least once. Pass a function that creates an empty store.
 *
 * @example
 * describeWorkStore("memory", () => createMemoryWorkStore(), { describe, it });
 */
export function describeWorkStore(
  name: string,
  makeStore: () => WorkStore | Promise<WorkStore>,
  { describe, it }: DescribeWorkStoreOptions,
): void {
  const test = (title: string, body: (store: WorkStore, item: WorkItem) => Promise<void>): void =>
    void it(title, async () => {
      const store = await makeStore();
      try {
        await body(store, await addItem(store, { id: "A-1" }, { contracts, clock }));
      } finally {
        store.close?.();
      }
    });

  describe(`work store ${name}`, () => {
    for (const [title, body] of Object.entries(PROMISES)) test(title, body);
  });
}

/** The promises of every work store. */
const PROMISES: Readonly<Record<string, (store: WorkStore, item: WorkItem) => Promise<void>>> = {
  "load returns an item as it was added, and create accepts an id once": async (store, item) => {
    same((await store.load("A-1"))?.item, item);
    same(await store.create({ ...item, phase: "build" }), false);
    same((await store.load("A-1"))?.item.phase, "plan");
    same(await store.load("A-2"), undefined);
  },

  "commit makes the whole change": async (store, item) => {
    const change = everything(item);
    same(await store.commit(change), true);
    const record = await store.load("A-1");
    same(record?.item, change.item);
    same([record?.claims, record?.reviews], [change.claims, change.reviews]);
    same(await store.history("A-1"), { advances: [change.advance], comments: change.comments });
    same(await store.readSnapshot("h1"), "text\n");
    same(
      (await store.takeHooks({ leaseMs: HOUR, limit: 9 })).map(({ id }) => id),
      [change.hooks?.[0]?.id],
    );
  },

  "commit refuses a change that read another version": async (store, item) => {
    const change = everything(item);
    same(await store.commit({ ...change, expectedVersion: item.version + 1 }), false);
    await unchanged(store, item);
  },

  "commit refuses a change to an unknown item": async (store, item) => {
    same(await store.commit(everything({ ...item, id: "B-1" })), false);
    same(await store.load("B-1"), undefined);
  },

  "commit refuses a second advance of a phase entry or claim and writes nothing": async (store, item) => {
    await store.commit(everything(item));
    const after = (await store.load("A-1"))?.item ?? item;
    const again = everything(after, { claim: "c2", hash: "h2" });
    same(await store.commit({ ...again, advance: { ...advanceOf(after, "c2"), entry: item.entry } }), false);
    same(await store.commit({ ...again, advance: advanceOf(after, "c1") }), false);
    same((await store.load("A-1"))?.item, after);
    same((await store.history("A-1")).advances.length, 1);
    same(await store.readSnapshot("h2"), undefined);
    same((await store.load("A-1"))?.claims.length, 1);
  },

  "an idempotency key belongs to one claim": async (store, item) => {
    await store.commit(itemChange(item, {}, { now: NOW, rest: { claims: [claimOf(item, "c1")] } }));
    const after = (await store.load("A-1"))?.item ?? item;
    const other = { ...claimOf(item, "c2"), idempotency_key: claimOf(item, "c1").idempotency_key };
    same(await store.commit(itemChange(after, {}, { now: NOW, rest: { claims: [other] } })), false);
    same((await store.findClaim(other.idempotency_key))?.id, "c1");
    const twins = [
      claimOf(item, "c3"),
      { ...claimOf(item, "c4"), idempotency_key: claimOf(item, "c3").idempotency_key },
    ];
    same(await store.commit(itemChange(after, {}, { now: NOW, rest: { claims: twins } })), false);
    same((await store.load("A-1"))?.claims.length, 1);
    same(await store.findClaim("unknown"), undefined);
  },

  "claims keep their order and are changed in place": async (store, item) => {
    let now = item;
    for (const id of ["c3", "c1", "c2"]) {
      const change = itemChange(now, {}, { now: NOW, rest: { claims: [claimOf(item, id)] } });
      same(await store.commit(change), true);
      now = change.item;
    }
    await store.commit(
      itemChange(
        now,
        {},
        { now: NOW, rest: { claims: [{ ...claimOf(item, "c3"), processed: true, outcome: "stale" }] } },
      ),
    );
    same(
      (await store.load("A-1"))?.claims.map(({ id, processed }) => [id, processed]),
      [
        ["c3", true],
        ["c1", false],
        ["c2", false],
      ],
    );
  },

  "list returns items in order, in pages, and by open work": async (store, item) => {
    await addItem(store, { id: "A-3", phase: "build", status: "todo" }, { contracts, clock });
    await addItem(store, { id: "A-2" }, { contracts, clock });
    same(await store.list(), ["A-1", "A-2", "A-3"]);
    same(await store.list({ limit: 2 }), ["A-1", "A-2"]);
    same(await store.list({ after: "A-2" }), ["A-3"]);
    same(
      [
        await store.list({ phase: "build" }),
        await store.list({ status: "todo" }),
        await store.list({ phase: "build", status: "backlog" }),
      ],
      [["A-3"], ["A-3"], []],
    );
    same(
      [
        await store.list({ having: "open-claim" }),
        await store.list({ having: "revision" }),
        await store.list({ having: "open-review" }),
      ],
      [[], [], []],
    );
    const first = itemChange(
      item,
      { revisionSince: "2026-01-01T00:00:00.000Z" },
      { now: NOW, rest: { claims: [claimOf(item, "c1")], reviews: [reviewOf(item, "r1")] } },
    );
    await store.commit(first);
    same(
      [
        await store.list({ having: "open-claim" }),
        await store.list({ having: "revision" }),
        await store.list({ having: "open-review" }),
      ],
      [["A-1"], ["A-1"], ["A-1"]],
    );
    same(await store.findReview("r1"), { itemId: "A-1" });
    same(await store.findReview("r2"), undefined);
    await store.commit(
      itemChange(
        first.item,
        { revisionSince: null },
        {
          now: NOW,
          rest: {
            claims: [{ ...claimOf(item, "c1"), processed: true }],
            reviews: [{ ...reviewOf(item, "r1"), state: "answered" }],
          },
        },
      ),
    );
    same(
      [
        await store.list({ having: "open-claim" }),
        await store.list({ having: "revision" }),
        await store.list({ having: "open-review" }),
      ],
      [[], [], []],
    );
  },

  "texts are stored exactly": async (store, item) => {
    const texts = [
      "",
      "a\u0000b",
      "line\r\nline\n",
      "ünï😀 '; drop table item; --",
      "$1 ?1 {identifier}",
      "x".repeat(200_000),
    ];
    await store.commit(
      itemChange(
        item,
        { project: texts },
        { now: NOW, rest: { snapshots: texts.map((text, index) => ({ hash: `h${index}`, text })) } },
      ),
    );
    for (const [index, text] of texts.entries()) same(await store.readSnapshot(`h${index}`), text);
    same((await store.load("A-1"))?.item.project, texts);
  },

  "load returns copies": async (store, item) => {
    const record = await store.load("A-1");
    (record?.item.labels as string[]).push("changed");
    same((await store.load("A-1"))?.item, item);
  },

  "one of many concurrent writers wins": async (store, item) => {
    const answers = await Promise.all(
      Array.from({ length: 16 }, (_, index) =>
        store.commit(itemChange(item, { labels: [String(index)] }, { now: NOW })),
      ),
    );
    same(answers.filter(Boolean).length, 1);
    same((await store.load("A-1"))?.item.version, item.version + 1);
  },

  "takeHooks returns hooks in order per item, once per lease, until they are delivered": async (store, item) => {
    const other = await addItem(store, { id: "A-2" }, { contracts, clock });
    for (const one of [item, other]) await store.commit(itemChange(one, { labels: ["x", "y"] }, { now: NOW }));
    const take = async (leaseMs: number) =>
      (await store.takeHooks({ leaseMs, limit: 10 })).map(({ id, attempts }) => [id, attempts]);
    same(await take(0), [
      ["A-1@1.0", 0],
      ["A-2@1.0", 0],
    ]);
    same(await take(HOUR), [
      ["A-1@1.0", 1],
      ["A-2@1.0", 1],
    ]);
    same(await take(HOUR), []);
    await store.settleHook("A-1@1.0", { delivered: true });
    await store.settleHook("A-2@1.0", { delivered: false, error: "down", retryMs: HOUR });
    same(await take(0), [["A-1@1.1", 0]]);
    same(await take(HOUR), [["A-1@1.1", 1]]);
    await store.settleHook("A-1@1.1", { delivered: false, error: "bad", parked: true });
    await store.settleHook("A-2@1.0", { delivered: false, error: "down", retryMs: 0 });
    same(await take(0), [
      ["A-1@1.2", 0],
      ["A-2@1.0", 2],
    ]);
    await store.settleHook("unknown@1.0", { delivered: true });
    same((await store.takeHooks({ leaseMs: HOUR, limit: 1 })).length, 1);
  },

  "removeDelivered forgets delivered messages and no others": async (store, item) => {
    if (store.removeDelivered === undefined) return;
    await store.commit(itemChange(item, { labels: ["x", "y"] }, { now: NOW }));
    const [first] = await store.takeHooks({ leaseMs: 0, limit: 1 });
    await store.settleHook(first?.id ?? "", { delivered: true });
    same(await store.removeDelivered({ olderThanMs: HOUR, limit: 10 }), 0);
    same(await store.removeDelivered({ olderThanMs: -1, limit: 10 }), 1);
    same(await store.removeDelivered({ olderThanMs: -1, limit: 10 }), 0);
    const next = await store.takeHooks({ leaseMs: HOUR, limit: 1 });
    same(
      next.map(({ id }) => id),
      ["A-1@1.1"],
    );
  },

  "takeItems leases items with open work, each to one worker, in order and in pages": async (store) => {
    for (const id of ["A-4", "A-3", "A-2"]) await openClaim(store, id);
    const take = async (options: { readonly leaseMs?: number; readonly limit?: number; readonly after?: string }) =>
      (await store.takeItems({ having: "open-claim", leaseMs: HOUR, limit: 10, ...options })).records;
    const first = await take({ limit: 1, after: "A-2" });
    same(first, [await store.load("A-3")]);
    same(
      (await take({ leaseMs: 0 })).map(({ item: { id } }) => id),
      ["A-2", "A-4"],
    );
    // The worker of the empty lease is dead.
    same(
      (await take({})).map(({ item: { id } }) => id),
      ["A-2", "A-4"],
    );
    same(await take({}), []);
    same((await store.takeItems({ having: "revision", leaseMs: HOUR, limit: 10 })).records, []);
  },

  "a held item is not leased for other work, and a change does not end the lease": async (store) => {
    const item = await openClaim(store, "A-2", { revisionSince: "2026-01-01T00:00:00.000Z" });
    const { token } = await store.takeItems({ having: "revision", leaseMs: HOUR, limit: 10 });
    const take = async () =>
      (await store.takeItems({ having: "open-claim", leaseMs: 0, limit: 10 })).records.map((record) => record.item);
    same(await take(), []);
    const change = itemChange(item, { labels: ["x"] }, { now: NOW });
    same(await store.commit(change), true);
    same(await take(), []);
    await store.releaseItems(token, [{ id: "A-2", version: change.item.version, restMs: 0 }]);
    same(await take(), [change.item]);
  },

  "a released item rests from this work until it changes": async (store) => {
    const item = await openClaim(store, "A-2", { revisionSince: "2026-01-01T00:00:00.000Z" });
    const take = async (having: "open-claim" | "revision") => {
      const { token, records } = await store.takeItems({ having, leaseMs: HOUR, limit: 10 });
      await store.releaseItems(
        token,
        records.map(({ item: { id, version } }) => ({ id, version, restMs: HOUR })),
      );
      return records.length;
    };
    same([await take("open-claim"), await take("open-claim")], [1, 0]);
    same(await take("revision"), 1);
    same(await store.commit(itemChange(item, {}, { now: NOW })), true);
    same([await take("open-claim"), await take("open-claim")], [1, 0]);
  },

  "an item that changed under its holder does not rest": async (store) => {
    const item = await openClaim(store, "A-2");
    const { token } = await store.takeItems({ having: "open-claim", leaseMs: HOUR, limit: 10 });
    same(await store.commit(itemChange(item, {}, { now: NOW })), true);
    await store.releaseItems(token, [{ id: "A-2", version: item.version, restMs: HOUR }]);
    same((await store.takeItems({ having: "open-claim", leaseMs: HOUR, limit: 10 })).records.length, 1);
  },

  "a worker that lost its lease cannot release the lease of the next one": async (store) => {
    const item = await openClaim(store, "A-2");
    const slow = await store.takeItems({ having: "open-claim", leaseMs: 0, limit: 10 });
    const next = await store.takeItems({ having: "open-claim", leaseMs: HOUR, limit: 10 });
    same(next.records.length, 1);
    await store.releaseItems(slow.token, [{ id: "A-2", version: item.version, restMs: 0 }]);
    same((await store.takeItems({ having: "open-claim", leaseMs: HOUR, limit: 10 })).records, []);
  },

  "workers that ask at the same time get different items": async (store) => {
    const ids = Array.from({ length: 40 }, (_, index) => `B-${String(index).padStart(2, "0")}`);
    for (const id of ids) await openClaim(store, id);
    const workers = Array.from({ length: 8 }, async () => {
      const taken: string[] = [];
      for (;;) {
        const { records } = await store.takeItems({ having: "open-claim", leaseMs: HOUR, limit: 3 });
        if (records.length === 0) return taken;
        taken.push(...records.map(({ item: { id } }) => id));
      }
    });
    same((await Promise.all(workers)).flat().toSorted(), ids);
  },

  "an item advances once, however many processes decide its claims in parallel": async (store) => {
    const options = { contracts, artifacts, clock };
    const claims = await Promise.all(
      Array.from({ length: 4 }, () =>
        submitClaim(
          store,
          { item: "A-1", completed_phase: "plan", contract_version: 1, recommended_next_phase: "build" },
          options,
        ),
      ),
    );
    const results = await Promise.all(
      [...claims, ...claims].map(({ id }) => processClaim(store, { item: "A-1", claim: id }, options)),
    );
    same(new Set(results.filter(({ result }) => result.outcome === "advanced").map(({ claim }) => claim.id)).size, 1);
    same((await store.history("A-1")).advances.length, 1);
    same((await store.load("A-1"))?.claims.map(({ outcome }) => outcome).toSorted(), [
      "advanced",
      "stale",
      "stale",
      "stale",
    ]);
    same((await processClaims(store, options)).advanced, []);
  },

  "ticks at the same time report each change once in all, also if their leases end early": async (store) => {
    for (const leaseMs of [1, HOUR]) {
      const ids = Array.from({ length: 40 }, (_, index) => `${String.fromCodePoint(66 + (leaseMs % 7))}-${index}`);
      const judged = defineContracts([{ phase: "plan", validation: { escalate_if: ["open_questions_present"] } }]);
      const options = {
        contracts: judged,
        leaseMs,
        // Decisions take several turns of the event loop, so that ticks overlap.
        diff: async () => {
          for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
          return undefined;
        },
      };
      const claims = await Promise.all(
        ids.map(async (item, index) => {
          await addItem(store, { id: item }, { contracts: judged });
          const claim = { item, completed_phase: "plan", recommended_next_phase: null };
          const more = [
            { contract_version: 1 },
            { contract_version: 2 },
            { contract_version: 1, open_questions: ["Why?"] },
            { contract_version: 1, completed_phase: "build" },
          ][index % 4];
          return submitClaim(store, { ...claim, ...more }, options);
        }),
      );
      const ticks = await Promise.all(Array.from({ length: 4 }, () => processClaims(store, options)));
      const reported = ticks.flatMap(({ advanced, rejected, waiting, stale }) => [
        ...advanced,
        ...rejected,
        ...waiting,
        ...stale,
      ]);
      same(reported.map(({ claim }) => claim).toSorted(), claims.map(({ id }) => id).toSorted());
      for (const { claim, outcome, code, text, item } of reported) {
        const stored = (await store.load(item))?.claims.find(({ id }) => id === claim);
        same([outcome, code, text], [stored?.outcome, stored?.code, stored?.text]);
      }
      same(
        ticks.flatMap(({ rejected }) => rejected.map(({ code }) => code)),
        Array(10).fill("contract_version"),
      );
      same(ticks.flatMap(({ needsJudgeReview }) => needsJudgeReview).length, 10);
      const { advanced, rejected, waiting, stale, needsJudgeReview } = await processClaims(store, options);
      same([advanced, rejected, waiting, stale, needsJudgeReview], [[], [], [], [], []]);
    }
  },
};

/** Adds an item with an undecided claim. */
async function openClaim(store: WorkStore, id: string, members: Partial<WorkItem> = {}): Promise<WorkItem> {
  const item = await addItem(store, { id }, { contracts, clock });
  const change = itemChange(item, members, { now: NOW, rest: { claims: [claimOf(item, `c-${id}`)] } });
  same(await store.commit(change), true);
  return change.item;
}

function claimOf(item: WorkItem, id: string): Claim {
  return {
    id,
    category: "phase_completion",
    item_id: item.id,
    run_id: null,
    entry: item.entry,
    contract_hash: null,
    snapshot: null,
    idempotency_key: `${item.id}/${id}`,
    content_hash: id,
    created_at: item.createdAt,
    processed: false,
    summary: "",
    completed_phase: item.phase,
    contract_version: 1,
    recommended_next_phase: null,
    artifact_path: null,
    artifact_hash: null,
    confidence: "high",
    open_questions: [],
    promote_to: null,
    promote_base_hash: null,
    skip_to: null,
    skip_reason: null,
  };
}

function reviewOf(item: WorkItem, id: string): ClaimReview {
  return {
    id,
    item_id: item.id,
    claim_id: "c1",
    phase: item.phase,
    entry: item.entry,
    artifact_hash: "h1",
    contract_hash: "k1",
    skip_to: null,
    escalations: [],
    requested_at: item.createdAt,
    attempts: 0,
    leased_until: null,
    state: "open",
  };
}

function advanceOf(item: WorkItem, claimId: string): NonNullable<WorkChange["advance"]> {
  return { itemId: item.id, entry: item.entry, from: item.phase, to: "build", claimId, at: item.createdAt };
}

function everything(
  item: WorkItem,
  { claim = "c1", hash = "h1" }: { readonly claim?: string; readonly hash?: string } = {},
): WorkChange {
  return itemChange(
    item,
    { entry: item.entry + 1, phase: "build" },
    {
      now: NOW,
      hooks: [{ name: "phase_advance", payload: { to: "build" } }],
      comments: [{ kind: "advance", text: "Advanced." }],
      rest: {
        claims: [claimOf(item, claim)],
        reviews: [reviewOf(item, `r-${claim}`)],
        advance: advanceOf(item, claim),
        snapshots: [{ hash, text: "text\n" }],
      },
    },
  );
}

async function unchanged(store: WorkStore, item: WorkItem): Promise<void> {
  same(await store.load(item.id), { item, claims: [], verdicts: [], reviews: [] });
  same(await store.history(item.id), { advances: [], comments: [] });
  same(await store.readSnapshot("h1"), undefined);
  same(await store.takeHooks({ leaseMs: HOUR, limit: 9 }), []);
}

function same(found: unknown, expected: unknown): void {
  const text = (value: unknown): string => (value === undefined ? "undefined" : JSON.stringify(value, sorted));
  if (text(found) !== text(expected))
    throw new Error(`Expected ${text(expected).slice(0, 2000)}\nfound    ${text(found).slice(0, 2000)}`);
}

/** Compares without the order of members, which a store may change. */
function sorted(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}
