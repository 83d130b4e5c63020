import { createPipeline, type WorkChange, type WorkItem, defineContracts } from "@phasekit/contracts";
import type { RunEvent } from "@phasekit/core";
import { buildEvents } from "@phasekit/core/testing";
import { readRun } from "@phasekit/ledger";
import { createFileStore } from "@phasekit/ledger/node";
import { type PostgresServer, startPostgres } from "@phasekit/tooling/postgres-server";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Pool, type PoolConfig } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type FaultyNetwork, startFaultyNetwork } from "./__fixtures__/faulty-network.ts";
import { migrate } from "./migrate.ts";
import { createPostgresLeaseStore } from "./postgres-lease-store.ts";
import { createPostgresRunStore } from "./postgres-run-store.ts";
import { createPostgresWorkStore } from "./postgres-work-store.ts";
import { shipRuns } from "./ship-runs.ts";

const log = (id: string, turns: number): readonly RunEvent[] =>
  buildEvents(
    Array.from({ length: turns }, () => ({ type: "turn.started" as const })),
    { id },
  );
const contracts = defineContracts([{ phase: "plan" }, { phase: "build" }]);
const advanced = (item: WorkItem, claim: string): WorkChange => ({
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
});

let server: PostgresServer;
let network: FaultyNetwork;
let direct: Pool;
let schemas = 0;
const pools: Pool[] = [];

/** A pool that reaches the server through the network. */
function throughNetwork(options: PoolConfig = {}): Pool {
  const made = new Pool({ connectionString: network.address(server.url), max: 8, ...options });
  pools.push(made);
  return made;
}

async function freshSchema(): Promise<string> {
  const schema = `o${String((schemas += 1))}`;
  await migrate(direct, { schema });
  return schema;
}

beforeAll(async () => {
  server = await startPostgres({ fsync: false });
  network = await startFaultyNetwork(server.port);
  direct = new Pool({ connectionString: server.url, max: 8 });
  direct.on("error", () => undefined);
});
afterAll(async () => {
  await Promise.all([direct, ...pools].map((pool) => pool.end()));
  await network.close();
  await server.stop();
});

describe("a connection that is lost in the middle of a commit", () => {
  it("the change is found out by reading: it happened, once", async () => {
    const schema = await freshSchema();
    const store = createPostgresWorkStore(throughNetwork(), { schema, notifications: false });
    const item = await createPipeline({ store, contracts }).add({ id: "A-1" });
    const before = network.swallowed();
    network.swallowAnswerTo("c-lost");
    expect(await store.commit(advanced(item, "c-lost"))).toBe(true);
    expect(network.swallowed()).toBe(before + 1);
    expect(await store.commit(advanced(item, "c-late"))).toBe(false);
    expect((await store.history("A-1")).advances.map(({ claimId }) => claimId)).toEqual(["c-lost"]);
  });

  it("many that travelled together are found out each by itself", async () => {
    const schema = await freshSchema();
    const store = createPostgresWorkStore(throughNetwork(), { schema, notifications: false });
    const items: WorkItem[] = [];
    for (let n = 0; n < 12; n += 1)
      items.push(await createPipeline({ store, contracts }).add({ id: `A-${String(n).padStart(2, "0")}` }));
    const before = network.swallowed();
    // They leave in two journeys, with the first of four rivals for every item; the one with the last item gets no
    // answer.
    network.swallowAnswerTo("A-11/0");
    const won = await Promise.all(
      items.flatMap((item) => [0, 1, 2, 3].map((n) => store.commit(advanced(item, `${item.id}/${String(n)}`)))),
    );
    expect(network.swallowed()).toBe(before + 1);
    for (const [place, { id }] of items.entries()) {
      const winners = [0, 1, 2, 3].filter((n) => won[place * 4 + n]);
      expect((await store.history(id)).advances.map(({ claimId }) => claimId)).toEqual(
        winners.map((n) => `${id}/${String(n)}`),
      );
      expect(winners.length).toBe(1);
    }
  });

  it("the events are found out by reading: they are there, once", async () => {
    const schema = await freshSchema();
    const store = createPostgresRunStore(throughNetwork(), { schema, notifications: false });
    const events = log("run-lost", 6);
    for (const [from, to] of [
      [0, 1],
      [1, 2],
      [2, 7],
    ] as const) {
      network.swallowAnswerTo("run-lost");
      await store.append("run-lost", events.slice(from, to), { after: from });
    }
    expect(await readRun(store, "run-lost")).toEqual(events);
  });
});

describe("time limits", () => {
  it.each([
    { what: "a statement (57014)", options: { statement_timeout: 40 } },
    { what: "a lock (55P03)", options: { lock_timeout: 40 } },
    { what: "an answer (the client's own)", options: { query_timeout: 40 } },
  ])(
    "of $what: a change behind somebody's open transaction is asked for again, and happens once",
    async ({ options }) => {
      const schema = await freshSchema();
      const store = createPostgresWorkStore(throughNetwork(options), { schema });
      const item = await createPipeline({ store: createPostgresWorkStore(direct, { schema }), contracts }).add({
        id: "A-1",
      });
      const blocker = await direct.connect();
      await blocker.query(`begin; select from "${schema}".item where id = 'A-1' for update`);
      const change = store.commit(advanced(item, "c1"));
      const other = store.commit(advanced(item, "c2"));
      const tries = async (): Promise<number> =>
        Number(
          (
            await direct.query<{ xact_rollback: string }>(
              "select xact_rollback from pg_stat_database where datname = 'postgres'",
            )
          ).rows[0]?.xact_rollback,
        );
      const before = await tries();
      // Some tries are cut off before the other transaction ends. The client's own limit leaves no trace at the server.
      if (!("query_timeout" in options))
        while ((await tries()) < before + 2) await new Promise((resolve) => setTimeout(resolve, 20));
      await blocker.query("commit");
      blocker.release();
      expect([await change, await other].filter(Boolean).length).toBe(1);
      expect((await store.history("A-1")).advances.length).toBe(1);
    },
  );

  it("a transaction that was left open ends by the server's limit, and lets go of what it held (25P03)", async () => {
    const schema = await freshSchema();
    const store = createPostgresWorkStore(throughNetwork(), { schema });
    const item = await createPipeline({ store, contracts }).add({ id: "A-1" });
    const forgetful = new Pool({ connectionString: server.url, max: 1, idle_in_transaction_session_timeout: 100 });
    forgetful.on("error", () => undefined);
    const client = await forgetful.connect();
    client.on("error", () => undefined);
    await client.query(`begin; select from "${schema}".item where id = 'A-1' for update`);
    expect(await store.commit(advanced(item, "c1"))).toBe(true);
    client.release(true);
    await forgetful.end();
  });

  it("do not cut off a migration that waits for its turn", async () => {
    const schema = `o${String((schemas += 1))}`;
    const hurried = throughNetwork({ max: 4, statement_timeout: 30, idle_in_transaction_session_timeout: 30 });
    const first = await direct.connect();
    await first.query("begin; select pg_advisory_xact_lock(8097855168846949748)");
    const waiting = migrate(hurried, { schema });
    await direct.query("select pg_sleep(0.15)");
    await first.query("commit");
    first.release();
    expect((await waiting).applied.length).toBeGreaterThan(0);
  });
});

describe("a pool without a free connection", () => {
  it("is waited for; a call that still finds none ends with an error code", async () => {
    const schema = await freshSchema();
    const small = throughNetwork({ max: 1, connectionTimeoutMillis: 1000 });
    const store = createPostgresRunStore(small, { schema, patienceMs: 600_000, notifications: false });
    // The one connection is there before it is taken: on a busy machine it may take longer than the pool waits.
    expect(await store.end("a")).toBe(0);
    const taken = await small.connect();
    await expect(
      createPostgresRunStore(small, { schema, patienceMs: 100, notifications: false }).append("a", log("a", 1), {
        after: 0,
      }),
    ).rejects.toMatchObject({ code: "DATABASE_UNAVAILABLE" });
    const appending = store.append("a", log("a", 1), { after: 0 });
    await direct.query("select pg_sleep(0.1)");
    taken.release();
    await appending;
    expect((await store.list()).map(({ run }) => run)).toEqual(["a"]);
  });
});

describe("a server that goes away", () => {
  it.each(["shutdown", "crash"] as const)(
    "and comes back (%s): appends and changes on their way continue, and happen once",
    async (how) => {
      const schema = await freshSchema();
      const pool = throughNetwork();
      const [runs, work, leases] = [
        createPostgresRunStore(pool, { schema }),
        createPostgresWorkStore(pool, { schema }),
        createPostgresLeaseStore(pool, { schema }),
      ];
      let item = await createPipeline({ store: work, contracts }).add({ id: "A-1" });
      const events = log("a", 60);
      const restarted = new AbortController();
      const back = restarted.signal;
      const appending = (async () => {
        for (const event of events) await runs.append("a", [event], { after: event.seq - 1 });
      })();
      const advancing = (async () => {
        for (let n = 0; n < 40 || !back.aborted; n += 1) {
          const change = advanced(item, `c${String(n)}`);
          expect(await work.commit(change)).toBe(true);
          item = change.item;
        }
      })();
      await leases.acquire({ resource: "r", holder: "a", ttlMs: 60_000, maxHoldMs: 60_000 });
      await server.restart(how);
      restarted.abort();
      await Promise.all([appending, advancing]);
      expect(await readRun(runs, "a")).toEqual(events);
      const { advances } = await work.history("A-1");
      expect(advances.map(({ claimId }) => claimId)).toEqual(advances.map((_, n) => `c${String(n)}`));
      expect((await leases.status("r")).lease?.holder).toBe("a");
    },
  );

  it("an agent's local log continues meanwhile, and is sent when it is back", async () => {
    const schema = await freshSchema();
    const folder = mkdtempSync(join(tmpdir(), "phasekit-outage-"));
    const from = createFileStore(join(folder, "runs"));
    const to = createPostgresRunStore(throughNetwork(), { schema, patienceMs: 200 });
    const events = log("a", 20);
    await from.append("a", events.slice(0, 5), { after: 0 });
    const shipper = shipRuns(from, to, { everyMs: 1_000_000 });
    expect(await shipper.ship()).toMatchObject({ shipped: 5, problems: [] });
    network.isDown(true);
    network.cut();
    await from.append("a", events.slice(5), { after: 5 });
    expect((await shipper.ship()).problems).toMatchObject([{ run: "a", problem: { code: "DATABASE_UNAVAILABLE" } }]);
    network.isDown(false);
    expect(await shipper.stop()).toEqual({ shipped: events.length - 5, forks: [], problems: [] });
    expect(await readRun(to, "a")).toEqual(events);
    await from.close();
    rmSync(folder, { recursive: true });
  });

  it("a failover to a standby: reads work, changes wait for it, and nothing is lost or doubled", async () => {
    const schema = await freshSchema();
    const standby = await server.startStandby();
    const pool = throughNetwork();
    const [runs, work] = [createPostgresRunStore(pool, { schema }), createPostgresWorkStore(pool, { schema })];
    const item = await createPipeline({ store: work, contracts }).add({ id: "A-1" });
    const events = log("a", 5);
    await runs.append("a", events.slice(0, 3), { after: 0 });
    const before = advanced(item, "c0");
    await work.commit(before);
    const reading = new Pool({ connectionString: standby.url, max: 2 });
    reading.on("error", () => undefined);
    const caughtUp = async (): Promise<boolean> =>
      ((await createPostgresWorkStore(reading, { schema }).load("A-1"))?.item.version ?? 0) === before.item.version;
    while (!(await caughtUp())) await new Promise((resolve) => setTimeout(resolve, 10));
    network.lead(standby.port);
    network.cut();

    // Questions are answered by the standby; the list is worked out where it cannot be kept.
    expect((await runs.list()).map(({ run, seq }) => `${run} ${String(seq)}`)).toEqual(["a 3"]);
    expect(await readRun(runs, "a")).toEqual(events.slice(0, 3));
    expect((await work.load("A-1"))?.item).toEqual(before.item);
    await expect(
      createPostgresRunStore(pool, { schema, patienceMs: 100 }).append("a", events.slice(3), { after: 3 }),
    ).rejects.toMatchObject({ code: "DATABASE_UNAVAILABLE" });

    const change = work.commit(advanced(before.item, "c1"));
    const appending = runs.append("a", events.slice(3), { after: 3 });
    await standby.promote();
    expect(await change).toBe(true);
    await appending;
    expect(await readRun(runs, "a")).toEqual(events);
    expect((await work.history("A-1")).advances.map(({ claimId }) => claimId)).toEqual(["c0", "c1"]);
    expect((await runs.list()).map(({ run, seq }) => `${run} ${String(seq)}`)).toEqual(["a 6"]);
    network.lead(server.port);
    network.cut();
    await reading.end();
    await standby.stop();
  });

  it("a role that may only read can list", async () => {
    const schema = await freshSchema();
    await createPostgresRunStore(direct, { schema }).append("a", log("a", 2), { after: 0 });
    const readOnly = new Pool({ connectionString: server.url, max: 2, options: "-c default_transaction_read_only=on" });
    expect((await createPostgresRunStore(readOnly, { schema }).list()).map(({ run }) => run)).toEqual(["a"]);
    await readOnly.end();
    await direct.query(
      `create role reader login password 'local';
       grant usage on schema "${schema}" to reader;
       grant select on all tables in schema "${schema}" to reader`,
    );
    const url = new URL(server.url);
    url.username = "reader";
    const reader = new Pool({ connectionString: url.href, max: 2 });
    reader.on("error", () => undefined);
    expect((await createPostgresRunStore(reader, { schema }).list()).map(({ run }) => run)).toEqual(["a"]);
    await reader.end();
  });
});
