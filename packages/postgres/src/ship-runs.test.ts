import type { RunEvent } from "@phasekit/core";
import { buildEvents } from "@phasekit/core/testing";
import { createMemoryStore, readRun } from "@phasekit/ledger";
import { createFileStore } from "@phasekit/ledger/node";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { freshSchema, openPool } from "./__fixtures__/fresh-schema.ts";
import { createPostgresRunStore } from "./postgres-run-store.ts";
import { shipRuns } from "./ship-runs.ts";

const pool = openPool();
const folder = mkdtempSync(join(tmpdir(), "phasekit-ship-"));
afterAll(async () => {
  await pool.end();
  rmSync(folder, { recursive: true });
});

const log = (id: string, turns: number): readonly RunEvent[] =>
  buildEvents(
    Array.from({ length: turns }, () => ({ type: "turn.started" as const })),
    { id },
  );
const never = { everyMs: 1_000_000 };

describe("shipRuns", () => {
  it("sends what is new from a file store, in batches, and nothing twice", async () => {
    const from = createFileStore(join(folder, "runs"));
    const to = createPostgresRunStore(pool, { schema: await freshSchema(pool) });
    const events = log("a", 30);
    await from.append("a", events.slice(0, 10), { after: 0 });
    const shipper = shipRuns(from, to, { ...never, batch: 4 });
    expect(await shipper.ship()).toEqual({ shipped: 10, forks: [], problems: [] });
    expect(await shipper.ship()).toEqual({ shipped: 0, forks: [], problems: [] });
    await from.append("a", events.slice(10), { after: 10 });
    await from.append("b", log("b", 2), { after: 0 });
    expect(await shipper.stop()).toEqual({ shipped: 24, forks: [], problems: [] });
    expect(await readRun(to, "a")).toEqual(events);
    await from.close();
  });

  it("continues after a crash, and beside another shipper", async () => {
    const from = createMemoryStore();
    const to = createPostgresRunStore(pool, { schema: await freshSchema(pool) });
    const events = log("a", 400);
    await from.append("a", events, { after: 0 });
    await to.append("a", events.slice(0, 7), { after: 0 });
    const shippers = Array.from({ length: 4 }, () => shipRuns(from, to, { ...never, batch: 10 }));
    for (let round = 0; round < 3; round += 1)
      for (const report of await Promise.all(shippers.map(({ ship }) => ship())))
        expect(report).toMatchObject({ forks: [], problems: [] });
    await Promise.all(shippers.map(({ stop }) => stop()));
    expect(await readRun(to, "a")).toEqual(events);
  });

  it("reports a run that differs, leaves it alone, and sends the others", async () => {
    const from = createMemoryStore();
    const to = createPostgresRunStore(pool, { schema: await freshSchema(pool) });
    const events = log("a", 5);
    await from.append("a", events, { after: 0 });
    await from.append("b", log("b", 1), { after: 0 });
    const other = events.slice(0, 3).map((event, index) => (index === 2 ? { ...event, at: event.at + 1 } : event));
    await to.append("a", other, { after: 0 });
    const shipper = shipRuns(from, to, never);
    expect(await shipper.ship()).toEqual({ shipped: 2, forks: [{ run: "a", seq: 3 }], problems: [] });
    expect(await readRun(to, "a")).toEqual(other);
    await shipper.stop();
  });

  it("an agent's local log continues while the database is away; waiting events are sent later", async () => {
    const from = createMemoryStore();
    const to = createPostgresRunStore(pool, { schema: await freshSchema(pool) });
    let away = true;
    const flaky = { ...to, end: (run: string) => (away ? Promise.reject(new Error("away")) : to.end(run)) };
    const shipper = shipRuns(from, flaky, never);
    await from.append("a", log("a", 3), { after: 0 });
    expect((await shipper.ship()).problems).toMatchObject([{ run: "a" }]);
    away = false;
    expect(await shipper.stop()).toEqual({ shipped: 4, forks: [], problems: [] });
  });
});
