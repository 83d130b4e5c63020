import {
  createPipeline,
  type Claim,
  createMemoryWorkStore,
  type ClaimReview,
  type WorkChange,
  type WorkItem,
  type WorkStore,
  defineContracts,
} from "@phasekit/contracts";
import { createSqliteWorkStore } from "@phasekit/contracts/sqlite";
import fc from "fast-check";
import { afterAll, expect, it } from "vitest";
import { freshSchema, openPool } from "./__fixtures__/fresh-schema.ts";
import { createPostgresWorkStore } from "./postgres-work-store.ts";

const pool = openPool();
afterAll(() => pool.end());

const AT = "2026-01-01T00:00:00.000Z";
const contracts = defineContracts([{ phase: "plan" }, { phase: "build" }]);
const text = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.constantFrom("\0", "\ud800", "'; drop table item; --", '{"a":1}', "\u2028"),
);

/**
 * One attempt to change an item: on the version that is there or an older one, with claims and reviews of a small set,
 * so that they meet again, and keys that those of other items have, too.
 */
const attempt = fc.record({
  item: fc.nat(2),
  isLate: fc.boolean(),
  advances: fc.boolean(),
  claims: fc.uniqueArray(fc.record({ id: fc.nat(5), isOpen: fc.boolean(), summary: text }), {
    maxLength: 3,
    selector: ({ id }) => id,
  }),
  reviews: fc.uniqueArray(
    fc.record({ id: fc.nat(3), state: fc.constantFrom("open" as const, "person" as const, "answered" as const) }),
    { maxLength: 2, selector: ({ id }) => id },
  ),
  comments: fc.array(text, { maxLength: 2 }),
  hooks: fc.nat(2),
  // Files are read as UTF-8, which has no half of a surrogate pair.
  snapshot: fc.option(
    text.filter((one) => !/\p{Surrogate}/u.test(one)),
    { nil: undefined },
  ),
  revision: fc.boolean(),
});

type Attempt = typeof attempt extends fc.Arbitrary<infer T> ? T : never;

function toChange(
  item: WorkItem,
  { isLate, advances, claims, reviews, comments, hooks, snapshot, revision, run }: Attempt & { readonly run: number },
): WorkChange {
  const expectedVersion = isLate ? item.version - 1 : item.version;
  const claimOf = ({ id, isOpen, summary }: (typeof claims)[number]): Claim => ({
    id: `${item.id}-c${String(id)}`,
    category: "phase_completion",
    item_id: item.id,
    run_id: null,
    entry: item.entry,
    contract_hash: null,
    snapshot: null,
    idempotency_key: keyOf(run, id),
    content_hash: "",
    created_at: AT,
    processed: !isOpen,
    summary,
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
  });
  const reviewOf = ({ id, state }: (typeof reviews)[number]): ClaimReview => ({
    id: `${item.id}-r${String(id)}`,
    item_id: item.id,
    claim_id: "c",
    phase: item.phase,
    entry: item.entry,
    artifact_hash: "",
    contract_hash: "",
    skip_to: null,
    escalations: [],
    requested_at: AT,
    attempts: 0,
    leased_until: null,
    state,
  });
  return {
    item: {
      ...item,
      version: expectedVersion + 1,
      entry: item.entry + Number(advances),
      revisionSince: revision ? AT : null,
    },
    expectedVersion,
    claims: claims.map(claimOf),
    reviews: reviews.map(reviewOf),
    comments: comments.map((said) => ({ kind: "advance" as const, text: said, at: AT })),
    hooks: Array.from({ length: hooks }, (_, n) => ({
      id: `h${String(n)}-${item.id}@${String(item.version)}`,
      itemId: item.id,
      name: "phase_advance" as const,
      payload: {},
      at: AT,
    })),
    ...(advances && {
      advance: {
        itemId: item.id,
        entry: item.entry,
        from: item.phase,
        to: item.phase,
        claimId: `${item.id}-a${String(item.entry)}`,
        at: AT,
      },
    }),
    ...(snapshot !== undefined && { snapshots: [{ hash: hashOf(snapshot), text: snapshot }] }),
  };
}

it("a history of changes gives the same answers and items in memory, in SQLite and in PostgreSQL", async () => {
  const stores: readonly [WorkStore, ...WorkStore[]] = [
    createMemoryWorkStore(),
    createSqliteWorkStore({ path: ":memory:" }),
    createPostgresWorkStore(pool, { schema: await freshSchema(pool), notifications: false }),
  ];
  const [memory, ...others] = stores;
  const sameInAll = async (ask: (store: WorkStore) => Promise<unknown>): Promise<void> => {
    const [first, ...rest] = await Promise.all(stores.map(async (store) => inOrder(await ask(store))));
    for (const one of rest) expect(one).toBe(first);
  };
  let runs = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(attempt, { minLength: 1, maxLength: 25 }), async (attempts) => {
      runs += 1;
      const ids = [0, 1, 2].map((n) => `A-${String(runs)}-${String(n)}`);
      for (const id of ids) {
        const item = await createPipeline({ store: memory, contracts, clock: () => Date.parse(AT) }).add({ id });
        for (const store of others) await store.create(item);
      }
      for (const one of attempts) {
        const record = await memory.load(ids[one.item] ?? "");
        if (record === undefined) throw new Error("the item is gone");
        const change = toChange(record.item, { ...one, run: runs });
        await sameInAll((store) => store.commit(change));
      }
      for (const id of ids) {
        await sameInAll((store) => store.load(id));
        await sameInAll((store) => store.history(id));
      }
      for (const having of ["open-claim", "open-review", "revision"] as const)
        await sameInAll((store) => store.list({ having }));
      for (let id = 0; id <= 5; id += 1) await sameInAll((store) => store.findClaim(keyOf(runs, id)));
      for (const { snapshot } of attempts)
        if (snapshot !== undefined) await sameInAll((store) => store.readSnapshot(hashOf(snapshot)));
      for (let round = 0; round < 3; round += 1) {
        await sameInAll(async (store) =>
          (await store.takeHooks({ leaseMs: 0, limit: 10_000 }))
            .map(({ id, attempts: count }) => `${id} ${String(count)}`)
            .toSorted(),
        );
      }
    }),
    { numRuns: 20 },
  );
  for (const { close } of stores) close?.();
});

const keyOf = (run: number, claim: number): string => `${String(run)}-k${String(claim)}`;
const hashOf = (snapshot: string): string => `h-${JSON.stringify(snapshot)}`;

/** A store may give members in another order. */
function inOrder(value: unknown): string {
  const sorted = (_key: string, one: unknown): unknown =>
    typeof one === "object" && one !== null && !Array.isArray(one)
      ? Object.fromEntries(Object.entries(one).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : one;
  return JSON.stringify({ value }, sorted);
}
