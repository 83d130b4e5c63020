import { buildEvents } from "@phasekit/core/testing";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, describe, expect, it } from "vitest";
import { freshSchema, openPool } from "./__fixtures__/fresh-schema.ts";
import type { Pool } from "./database.ts";
import { createPostgresRunStore } from "./postgres-run-store.ts";
import { createPostgresSubscription } from "./postgres-subscription.ts";

const pool = openPool(24);
afterAll(() => pool.end());

const log = (id: string, turns = 3) =>
  buildEvents(
    Array.from({ length: turns }, () => ({ type: "turn.started" as const })),
    { id },
  );

/**
 * Waits until everything written so far can be delivered: a subscription holds back what is newer than any transaction
 * that is open on the server, and other tests use it too.
 */
async function settled(): Promise<void> {
  const { rows } = await pool.query<{ now: string }>("select pg_current_xact_id()::text as now");
  const reached = `select pg_snapshot_xmin(pg_current_snapshot())::text::numeric > ${rows[0]?.now ?? "0"} as reached`;
  for (;;) {
    const { rows: answer } = await pool.query<{ reached: boolean }>(reached);
    if (answer[0]?.reached === true) return;
    await delay(5);
  }
}

describe("createPostgresSubscription", () => {
  it("delivers every event once and in order, in batches, and continues where it was", async () => {
    const schema = await freshSchema(pool);
    const store = createPostgresRunStore(pool, { schema });
    for (const id of ["a", "b"]) await store.append(id, log(id), { after: 0 });
    await settled();
    const seen: string[] = [];
    const first = createPostgresSubscription(pool, { schema, name: "s", batch: 3 });
    const note = (events: readonly { readonly run: string; readonly event: { readonly seq: number } }[]): void =>
      void seen.push(...events.map(({ run, event }) => `${run}${String(event.seq)}`));
    expect(await first.deliver(note)).toBe(3);
    const second = createPostgresSubscription(pool, { schema, name: "s", batch: 3 });
    while ((await second.deliver(note)) > 0);
    expect(seen).toEqual(["a1", "a2", "a3", "a4", "b1", "b2", "b3", "b4"]);
  });

  it("delivers again what was not noted; the reader that lost the name gets an error", async () => {
    const schema = await freshSchema(pool);
    await createPostgresRunStore(pool, { schema }).append("a", log("a"), { after: 0 });
    await settled();
    const first = createPostgresSubscription(pool, { schema, name: "s" });
    await expect(first.deliver(() => Promise.reject(new Error("crash")))).rejects.toThrow("crash");
    const second = createPostgresSubscription(pool, { schema, name: "s" });
    await expect(
      first.deliver(async () => {
        expect(await second.deliver(() => undefined)).toBe(4);
      }),
    ).rejects.toMatchObject({ code: "SUBSCRIPTION_TAKEN" });
    expect(await second.deliver(() => undefined)).toBe(0);
  });

  it("follow delivers what an open transaction held back, although its end is not announced", async () => {
    const schema = await freshSchema(pool);
    const open = await pool.connect();
    await open.query("begin; select pg_current_xact_id()");
    const store = createPostgresRunStore(pool, { schema, notifications: false });
    await store.append("a", log("a"), { after: 0 });
    const stop = new AbortController();
    let delivered = 0;
    let looks = 0;
    const counted: Pool = {
      on: (event, listener) => pool.on(event, listener),
      connect: () => pool.connect(),
      query: (query) => {
        if (typeof query === "object" && query.text.includes("pg_snapshot_xmin")) looks += 1;
        return pool.query(query);
      },
    };
    // So long that a test which waits for it fails.
    const pollMs = 1_000_000_000;
    const following = createPostgresSubscription(counted, { schema, name: "s", pollMs }).follow(
      (events) => {
        delivered += events.length;
        stop.abort();
      },
      { signal: stop.signal },
    );
    // Listening has begun, which counts as a change, and the look that followed found nothing.
    while (looks < 4) await delay(5);
    expect(delivered).toBe(0);
    await open.query("commit");
    open.release();
    await following;
    expect(delivered).toBe(4);
  });

  it("misses nothing beside 16 writers whose transactions end in any order", async () => {
    const schema = await freshSchema(pool);
    const WRITERS = 16;
    const EACH = 25;
    const seen = new Map<string, number[]>();
    let delivered = 0;
    const stop = new AbortController();
    const following = createPostgresSubscription(pool, { schema, name: "s", batch: 50, pollMs: 5 }).follow(
      (events) => {
        for (const { run, event } of events) seen.set(run, [...(seen.get(run) ?? []), event.seq]);
        delivered += events.length;
        if (delivered >= WRITERS * EACH) stop.abort();
      },
      { signal: stop.signal },
    );
    // As a store appends, but the commit comes late, after later ones; some roll back first.
    await Promise.all(
      Array.from({ length: WRITERS }, async (_, writer) => {
        for (let seq = 1; seq <= EACH; seq += 1) {
          for (const commits of writer % 4 === 0 && seq % 5 === 0 ? [false, true] : [true]) {
            const client = await pool.connect();
            let isSound = false;
            try {
              await client.query("begin");
              await client.query({
                text: `insert into "${schema}".event (run, seq, type, body) values ($1, $2, 'turn.started', $3)`,
                values: [`w${String(writer)}`, seq, JSON.stringify({ type: "turn.started", seq, at: 1 })],
              });
              await delay((writer * 7 + seq * 13) % 23);
              await client.query(commits ? "commit" : "rollback");
              isSound = true;
            } finally {
              // A pool waits for a connection that is not given back: the test would hang instead of failing.
              client.release(!isSound);
            }
          }
        }
      }),
    );
    await following;
    expect(delivered).toBe(WRITERS * EACH);
    for (const [run, numbers] of seen)
      expect(numbers, run).toEqual(Array.from({ length: EACH }, (_, index) => index + 1));
  });
});
