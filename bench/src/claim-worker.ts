// A process of the comparison of workers: decides claims or delivers messages when asked, and reports its share.
import { createPipeline } from "@phasekit/contracts";
import { createPostgresWorkStore } from "@phasekit/postgres";
import { Pool } from "pg";
import { PgBoss } from "pg-boss";
import { BOSS_QUEUE, type ClaimOrder } from "./claim-order.ts";
import { workerContracts as contracts } from "./make-claims.ts";

/** Jobs that a process takes from pg-boss at a time. */
const JOBS = 64;
const [url = ""] = process.argv.slice(2);
const pool = new Pool({ connectionString: url, max: 4 });
const boss = new PgBoss({ connectionString: url, max: 2, supervise: false, schedule: false });
await boss.start();

async function work({ schema, how }: ClaimOrder): Promise<number> {
  const store = createPostgresWorkStore(pool, { schema, notifications: false });
  const pipeline = createPipeline({ store, contracts });
  if (how === "own") return (await pipeline.tick()).advanced.length;
  if (how === "hooks")
    return (await createPipeline({ store, contracts, deliver: () => undefined }).deliverHooks()).delivered;
  // Without the pause between two looks that `boss.work()` makes: the fastest that pg-boss can be.
  for (let decided = 0; ;) {
    const jobs = await boss.fetch<{ readonly item: string; readonly claim: string }>(BOSS_QUEUE, {
      batchSize: JOBS,
    });
    if (jobs.length === 0) return decided;
    await Promise.all(jobs.map(({ data }) => pipeline.decide(data.item, data.claim)));
    await boss.complete(
      BOSS_QUEUE,
      jobs.map(({ id }) => id),
    );
    decided += jobs.length;
  }
}

process.on("message", (order: ClaimOrder) => {
  void work(order).then((done) => process.send?.(done));
});
process.on("disconnect", () => process.exit(0));
process.send?.("ready");
