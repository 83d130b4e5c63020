import { createPostgresWorkStore, migrate } from "@phasekit/postgres";
import { startPostgres } from "@phasekit/tooling/postgres-server";
import { SOURCE_FLAG } from "@phasekit/tooling/source-condition";
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { Pool } from "pg";
import { PgBoss } from "pg-boss";
import { BOSS_QUEUE, type ClaimOrder } from "./claim-order.ts";
import { defineComparison } from "./comparison.ts";
import { makeClaims } from "./make-claims.ts";
import { median, ratio } from "./measure.ts";

const PROCESSES = 4;
const ITEMS = 512;
const BLOCKS = 7;

/** Worker processes on one database, beside the same step handed out by pg-boss. */
export const postgresWorkers = defineComparison({
  title: "Workers on PostgreSQL",
  baseline: `${String(ITEMS)} claims decided by ${String(PROCESSES)} processes that get each one from pg-boss`,
  rows: {
    boss: { what: `${String(PROCESSES)} processes with leased batches, against pg-boss`, unit: "×", target: 1.33 },
    one: { what: `${String(PROCESSES)} processes with leased batches, against one`, unit: "×", target: 1 },
    hooks: { what: `messages delivered by ${String(PROCESSES)} processes, against one`, unit: "×", target: 1 },
  },
  measure: async ({ now, pause, signal, baseline, row }) => {
    now("start PostgreSQL and the workers");
    const server = await startPostgres();
    const pool = new Pool({ connectionString: server.url, max: 8 }).on("error", () => undefined);
    const boss = new PgBoss({ connectionString: server.url, max: 2, supervise: false, schedule: false });
    const workers: ChildProcess[] = [];
    try {
      await boss.start();
      await boss.createQueue(BOSS_QUEUE);
      for (let n = 0; n < PROCESSES; n += 1) workers.push(await startWorker(server.url, signal));
      const subjects = { boss: workers, four: workers, one: workers.slice(0, 1) } as const;
      for (const schema of Object.keys(subjects)) await migrate(pool, { schema });
      const time = { boss: [], four: [], one: [], fourHooks: [], oneHooks: [] } as Record<string, number[]>;
      const note = (name: string, spent: number): void => void time[name]?.push(spent);
      for (let block = 0; block <= BLOCKS; block += 1) {
        now("decide claims and deliver messages");
        await pause(block, BLOCKS + 1);
        for (const [schema, crew] of Object.entries(subjects)) {
          const claims = await makeClaims(createPostgresWorkStore(pool, { schema, notifications: false }), {
            block,
            items: ITEMS,
          });
          if (schema === "boss")
            await boss.insert(
              BOSS_QUEUE,
              claims.map(({ item_id: item, id: claim }) => ({ data: { item, claim } })),
            );
          const decided = await timed(crew, { schema, how: schema === "boss" ? "boss" : "own" }, claims.length);
          const delivered = await timed(crew, { schema, how: "hooks" });
          // The first block warms up.
          if (block === 0) continue;
          note(schema, decided);
          note(`${schema}Hooks`, delivered);
        }
      }
      const of = (name: string): readonly number[] => time[name] ?? [];
      const rate = (name: string): string => `${((ITEMS / median(of(name))) * 1e9).toFixed(0)} claims/s`;
      baseline(rate("boss"));
      row("boss", ratio(of("four"), of("boss")), rate("four"));
      row("one", ratio(of("four"), of("one")), `one: ${rate("one")}`);
      row("hooks", ratio(of("fourHooks"), of("oneHooks")));
      return [
        "Each claim is one decision and one commit on disk; pg-boss runs without its pause between two looks.",
        "Server and workers share the machine. Every claim is checked to be decided exactly once.",
      ];
    } finally {
      for (const worker of workers) worker.disconnect();
      await boss.stop({ graceful: false });
      await pool.end();
      await server.stop();
    }
  },
});

async function startWorker(url: string, signal: AbortSignal): Promise<ChildProcess> {
  const worker = fork(new URL("claim-worker.ts", import.meta.url), [url], { execArgv: [SOURCE_FLAG], signal });
  worker.on("error", () => undefined);
  await once(worker, "message");
  return worker;
}

/** Nanoseconds until all are done. @throws if they did not do `count` together */
async function timed(crew: readonly ChildProcess[], order: ClaimOrder, count?: number): Promise<number> {
  const start = process.hrtime.bigint();
  const done = await Promise.all(
    crew.map(async (worker) => {
      worker.send(order);
      const [share] = (await once(worker, "message")) as [number];
      return share;
    }),
  );
  const spent = Number(process.hrtime.bigint() - start);
  const sum = done.reduce((all, share) => all + share, 0);
  if (count !== undefined && sum !== count)
    throw new Error(`${String(count)} claims were decided ${String(sum)} times`);
  return spent;
}
