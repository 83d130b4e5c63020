import { describeLeaseStore } from "@phasekit/orchestrator/testing";
import { afterAll, describe, expect, it } from "vitest";
import { freshSchema, openPool } from "./__fixtures__/fresh-schema.ts";
import { createPostgresLeaseStore } from "./postgres-lease-store.ts";

const pool = openPool(20);
afterAll(() => pool.end());

/** A schema whose clock is moved by hand: no test has to wait, and none depends on how busy the machine is. */
async function withClock(): Promise<{ readonly schema: string; readonly elapse: (ms: number) => Promise<void> }> {
  const schema = await freshSchema(pool);
  await pool.query(`create table "${schema}".clock (ms bigint); insert into "${schema}".clock values (1000000)`);
  await pool.query(
    `create or replace function "${schema}".now_ms() returns bigint language sql volatile
       as 'select ms from "${schema}".clock'`,
  );
  return {
    schema,
    elapse: async (ms) => {
      await pool.query({ text: `update "${schema}".clock set ms = ms + $1`, values: [ms] });
    },
  };
}

describeLeaseStore(
  "postgres",
  async () => {
    const { schema, elapse } = await withClock();
    return { store: createPostgresLeaseStore(pool, { schema }), elapse };
  },
  { describe, it },
);

describe("createPostgresLeaseStore", () => {
  it("goes by the clock of the database", async () => {
    const store = createPostgresLeaseStore(pool, { schema: await freshSchema(pool) });
    const answer = await store.acquire({ resource: "r", holder: "a", ttlMs: 60_000, maxHoldMs: 600_000 });
    const [row] = (await pool.query("select extract(epoch from clock_timestamp()) * 1000 as now")).rows as {
      readonly now: string;
    }[];
    expect(answer.status === "granted" && Math.abs(answer.lease.grantedAt - Number(row?.now)) < 60_000).toBe(true);
  });

  it("gives a contested resource to one holder, and each other one its own place", async () => {
    const store = createPostgresLeaseStore(pool, { schema: await freshSchema(pool) });
    const answers = await Promise.all(
      Array.from({ length: 16 }, (_, n) =>
        store.acquire({ resource: "r", holder: `h${String(n)}`, ttlMs: 60_000, maxHoldMs: 600_000 }),
      ),
    );
    expect(answers.filter(({ status }) => status === "granted").length).toBe(1);
    expect(
      answers.flatMap((answer) => (answer.status === "queued" ? [answer.position] : [])).sort((a, b) => a - b),
    ).toEqual(Array.from({ length: 15 }, (_, n) => n + 1));
  });
});
