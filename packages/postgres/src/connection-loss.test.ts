import { createPipeline, type WorkItem, defineContracts } from "@phasekit/contracts";
import type { RunEvent } from "@phasekit/core";
import { buildEvents } from "@phasekit/core/testing";
import { readRun } from "@phasekit/ledger";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, describe, expect, it } from "vitest";
import { flakyPool } from "./__fixtures__/flaky-pool.ts";
import { freshSchema, openPool } from "./__fixtures__/fresh-schema.ts";
import { createPostgresLeaseStore } from "./postgres-lease-store.ts";
import { createPostgresRunStore } from "./postgres-run-store.ts";
import { createPostgresWorkStore } from "./postgres-work-store.ts";

const pool = openPool(20);
afterAll(() => pool.end());

const log = (id: string, turns: number): readonly RunEvent[] =>
  buildEvents(
    Array.from({ length: turns }, () => ({ type: "turn.started" as const })),
    { id },
  );
const contracts = defineContracts([{ phase: "plan" }, { phase: "build" }]);
/** The item, one phase on. */
const advanced = (item: WorkItem, claim: string) => ({
  item: { ...item, version: item.version + 1, entry: item.entry + 1, labels: [claim] },
  expectedVersion: item.version,
  advance: {
    itemId: item.id,
    entry: item.entry,
    from: item.phase,
    to: item.phase,
    claimId: claim,
    at: "2026-01-01T00:00:00.000Z",
  },
  hooks: [
    {
      id: `${item.id}@${String(item.version)}`,
      itemId: item.id,
      name: "phase_advance" as const,
      payload: {},
      at: "2026-01-01T00:00:00.000Z",
    },
  ],
});

describe("a connection that breaks", () => {
  it.each(["before", "after"] as const)(
    "%s the server did its work: appends are found out by reading, none is lost or doubled",
    async (how) => {
      const schema = await freshSchema(pool);
      const flaky = flakyPool(pool, (query) => (query % 3 === 1 ? how : undefined));
      const store = createPostgresRunStore(flaky.pool, { schema });
      const events = log("a", 20);
      for (let at = 0; at < events.length; at += 3) await store.append("a", events.slice(at, at + 3), { after: at });
      expect(flaky.broken()).toBeGreaterThan(3);
      expect(await readRun(createPostgresRunStore(pool, { schema }), "a")).toEqual(events);
    },
  );

  it("a conflict is a conflict, also when the answer was lost", async () => {
    const schema = await freshSchema(pool);
    const events = log("a", 5);
    await createPostgresRunStore(pool, { schema }).append("a", events, { after: 0 });
    const flaky = flakyPool(pool, (query) => (query === 1 ? "after" : undefined));
    const other = events.slice(0, 2).map((event) => ({ ...event, at: event.at + 1 }));
    await expect(createPostgresRunStore(flaky.pool, { schema }).append("a", other, { after: 0 })).rejects.toMatchObject(
      {
        code: "APPEND_CONFLICT",
      },
    );
  });

  it.each(["before", "after"] as const)(
    "%s the server did its work: a change happens once and is answered right",
    async (how) => {
      const schema = await freshSchema(pool);
      const flaky = flakyPool(pool, (query) => (query % 3 === 1 ? how : undefined));
      const store = createPostgresWorkStore(flaky.pool, { schema });
      let item = await createPipeline({ store, contracts }).add({ id: "A-1" });
      for (let n = 0; n < 8; n += 1) {
        const change = advanced(item, `c${String(n)}`);
        expect(await store.commit(change)).toBe(true);
        // Somebody else's change to the version that is gone is refused, whatever happens to the connection.
        expect(await store.commit(advanced(item, `other${String(n)}`))).toBe(false);
        item = change.item;
      }
      const { advances } = await createPostgresWorkStore(pool, { schema }).history("A-1");
      expect(advances.map(({ claimId }) => claimId)).toEqual(Array.from({ length: 8 }, (_, n) => `c${String(n)}`));
    },
  );

  it("a release whose answer was lost is answered right", async () => {
    const schema = await freshSchema(pool);
    const leases = createPostgresLeaseStore(pool, { schema });
    const answer = await leases.acquire({ resource: "r", holder: "a", ttlMs: 60_000, maxHoldMs: 60_000 });
    const claim = answer.status === "granted" ? answer.lease : expect.fail("not granted");
    await leases.acquire({ resource: "r", holder: "b", ttlMs: 60_000, maxHoldMs: 60_000 });
    const flaky = flakyPool(pool, (query) => (query === 1 ? "after" : undefined));
    expect(await createPostgresLeaseStore(flaky.pool, { schema }).release(claim)).toBe(true);
    expect(await leases.release(claim)).toBe(false);
    expect((await leases.status("r")).lease?.holder).toBe("b");
  });

  it("for longer than `patienceMs` ends with an error code", async () => {
    const schema = await freshSchema(pool);
    const flaky = flakyPool(pool, () => "before");
    await expect(
      createPostgresRunStore(flaky.pool, { schema, patienceMs: 100 }).append("a", log("a", 1), { after: 0 }),
    ).rejects.toMatchObject({ code: "DATABASE_UNAVAILABLE" });
  });

  it("while it is idle does not end the process", async () => {
    const own = openPool(3, "doomed-idle");
    const store = createPostgresRunStore(own, { schema: await freshSchema(own) });
    await Promise.all(
      Array.from({ length: 3 }, (_, n) => store.append(`r${String(n)}`, log(`r${String(n)}`, 1), { after: 0 })),
    );
    const [row] = (
      await own.query(
        `select array_agg(pid) as pids from pg_stat_activity
         where application_name = 'doomed-idle' and pid <> pg_backend_pid() and state = 'idle'`,
      )
    ).rows as { readonly pids: readonly number[] }[];
    for (const pid of row?.pids ?? [])
      await pool
        .query({ text: "select pg_terminate_backend($1) where $1 <> pg_backend_pid()", values: [pid] })
        .catch(() => undefined);
    await delay(50);
    await store.append("later", log("later", 1), { after: 0 });
    expect((await store.list()).length).toBe(4);
    await own.end();
  });
});

describe("16 workers on one truth", () => {
  it("competing for every advancement while connections are ended at random: none twice, none lost", async () => {
    const schema = await freshSchema(pool);
    const workers = openPool(16, "doomed-workers");
    const store = createPostgresWorkStore(workers, { schema });
    const ITEMS = 6;
    const ENTRIES = 12;
    for (let n = 0; n < ITEMS; n += 1) await createPipeline({ store, contracts }).add({ id: `I-${String(n)}` });
    const won = new Map<string, string>();
    let lost = 0;
    const end = new AbortController();
    const chaos = (async () => {
      while (!end.signal.aborted) {
        await delay(25);
        await pool
          .query(
            `select pg_terminate_backend(pid) from pg_stat_activity
                where application_name = 'doomed-workers' and query like '%commit_change%' and random() < 0.5`,
          )
          .catch(() => undefined);
      }
    })();
    await Promise.all(
      Array.from({ length: 16 }, async (_, worker) => {
        for (let n = 0; n < ITEMS; n += 1) {
          const id = `I-${String((n + worker) % ITEMS)}`;
          for (;;) {
            const record = await store.load(id);
            if (record === undefined || record.item.entry > ENTRIES) break;
            const { entry } = record.item;
            const claim = `${id}/${String(entry)}/${String(worker)}`;
            if (await store.commit(advanced(record.item, claim))) {
              expect(won.has(`${id}/${String(entry)}`), claim).toBe(false);
              won.set(`${id}/${String(entry)}`, claim);
            } else lost += 1;
          }
        }
      }),
    );
    end.abort();
    await chaos;
    expect(lost).toBeGreaterThan(0);
    for (let n = 0; n < ITEMS; n += 1) {
      const { advances } = await store.history(`I-${String(n)}`);
      // What the winners were told is what is stored, one per stay, without a gap.
      expect(advances.map(({ claimId }) => claimId)).toEqual(
        advances.map(({ entry }) => won.get(`I-${String(n)}/${String(entry)}`)),
      );
      expect(advances.map(({ entry }) => entry)).toEqual(advances.map((_, index) => (advances[0]?.entry ?? 0) + index));
    }
    const hooks = await store.takeHooks({ leaseMs: 1000, limit: 1000 });
    expect(hooks.length).toBe(ITEMS);
    await workers.end();
  });
});
