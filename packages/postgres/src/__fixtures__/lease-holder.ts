// Takes a lease again and again, and counts in a table that only its holder may touch: reads, waits, writes one more.
import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { Pool } from "pg";
import { createPostgresLeaseStore } from "../postgres-lease-store.ts";

const [url = "", schema = "", rounds = "1", mode = ""] = process.argv.slice(2);
const pool = new Pool({ connectionString: url, max: 2 });
const leases = createPostgresLeaseStore(pool, { schema });
const holder = randomUUID();
const request = { resource: "counter", holder, ttlMs: mode === "hang" ? 300 : 20_000, maxHoldMs: 60_000 };

for (let n = 0; n < Number(rounds); n += 1) {
  let answer = await leases.acquire(request);
  while (answer.status !== "granted") {
    await delay(5);
    answer = await leases.acquire(request);
  }
  const { fence } = answer.lease;
  process.stdout.write(`granted ${String(fence)}\n`);
  if (mode === "hang") await delay(1_000_000);
  const { rows } = await pool.query<{ value: number }>(`select value from "${schema}".counter`);
  await delay(2);
  // The fence goes with the write, so that one who lost the lease cannot write any more.
  await pool.query({
    text: `update "${schema}".counter set value = $1, fence = $2 where fence < $2`,
    values: [Number(rows[0]?.value) + 1, fence],
  });
  process.stdout.write(`counted ${String(fence)}\n`);
  await leases.release(answer.lease);
}
await pool.end();
