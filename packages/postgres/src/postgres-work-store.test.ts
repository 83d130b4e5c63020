import { createPipeline, type WorkChange, type WorkItem, type WorkStore, defineContracts } from "@phasekit/contracts";
import { describeWorkStore } from "@phasekit/contracts/testing";
import { afterAll, describe, expect, it } from "vitest";
import { freshSchema, openPool } from "./__fixtures__/fresh-schema.ts";
import { createPostgresWorkStore } from "./postgres-work-store.ts";

const pool = openPool();
afterAll(() => pool.end());

describeWorkStore("postgres", async () => createPostgresWorkStore(pool, { schema: await freshSchema(pool) }), {
  describe,
  it,
});

const contracts = defineContracts([{ phase: "plan" }, { phase: "build" }]);
const advanced = (item: WorkItem, claim: string): WorkChange => ({
  item: { ...item, version: item.version + 1, entry: item.entry + 1 },
  expectedVersion: item.version,
  advance: {
    itemId: item.id,
    entry: item.entry,
    from: item.phase,
    to: item.phase,
    claimId: claim,
    at: "2026-01-01T00:00:00.000Z",
  },
});

async function someItems(store: WorkStore, count: number): Promise<readonly WorkItem[]> {
  const items: WorkItem[] = [];
  for (let n = 0; n < count; n += 1)
    items.push(await createPipeline({ store, contracts }).add({ id: `A-${String(n)}` }));
  return items;
}

describe("changes at the same time", () => {
  it("go in few calls, and each has its own answer", async () => {
    const schema = await freshSchema(pool);
    let calls = 0;
    const store = createPostgresWorkStore(
      {
        on: (event, listener) => pool.on(event, listener),
        connect: () => pool.connect(),
        query: (query) => {
          if (typeof query === "object" && query.text.includes("commit_change")) calls += 1;
          return pool.query(query);
        },
      },
      { schema },
    );
    const items = await someItems(store, 10);
    const won = await Promise.all(
      items.flatMap((item) =>
        ["first", "second", "third"].map((name) => store.commit(advanced(item, `${item.id}/${name}`))),
      ),
    );
    expect(won).toEqual(items.flatMap(() => [true, false, false]));
    expect(calls).toBe(2);
  });

  it("a change whose item is locked waits, and does not hold up others", async () => {
    const schema = await freshSchema(pool);
    const store = createPostgresWorkStore(pool, { schema });
    const [held, ...others] = await someItems(store, 6);
    if (held === undefined) expect.fail("there is no item");
    const stranger = await pool.connect();
    await stranger.query(`begin; select from "${schema}".item where id = '${held.id}' for update`);
    let isDone = false;
    const waiting = store.commit(advanced(held, "c")).finally(() => (isDone = true));
    expect(await Promise.all(others.map((item) => store.commit(advanced(item, `c-${item.id}`))))).toEqual(
      others.map(() => true),
    );
    expect(isDone).toBe(false);
    await stranger.query("rollback");
    stranger.release();
    expect(await waiting).toBe(true);
  });

  it("one that repeats a key is refused alone", async () => {
    const schema = await freshSchema(pool);
    const store = createPostgresWorkStore(pool, { schema });
    const items = await someItems(store, 4);
    // The second and the third want to advance by the same claim.
    const won = await Promise.all(
      items.map((item, n) => store.commit(advanced(item, n === 2 ? "c1" : `c${String(n)}`))),
    );
    expect(won.filter(Boolean).length).toBe(3);
    expect([won[0], won[3]]).toEqual([true, true]);
    for (const [n, { id }] of items.entries()) expect((await store.history(id)).advances.length).toBe(Number(won[n]));
  });
});
