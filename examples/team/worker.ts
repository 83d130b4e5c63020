// A worker: decides claims, asks the judge, expires waits and delivers the outbox until it is stopped. It needs only
// the database: artifacts were copied there with the claim.
import { join } from "node:path";
import { contractsOrThrow, createPipeline, type Judge } from "@phasekit/contracts";
import { loadContracts } from "@phasekit/contracts/node";
import { createPostgresWorkStore, watchChanges } from "@phasekit/postgres";
import { Pool } from "pg";

/** The output lines of a worker. */
export type WorkerLine =
  | { readonly did: "advanced"; readonly item: string; readonly claim: string }
  | { readonly did: "rejected"; readonly item: string; readonly claim: string }
  | { readonly did: "delivered"; readonly item: string; readonly hook: string; readonly name: string };

const pool = new Pool({ connectionString: process.argv[2] ?? "", max: 4 });
const store = createPostgresWorkStore(pool);
const contracts = contractsOrThrow(await loadContracts(join(import.meta.dirname, "phases")));
const tell = (line: WorkerLine): void => void process.stdout.write(`${JSON.stringify(line)}\n`);

// It stands for a model that reads the design.
const judge: Judge = ({ artifact = "" }) =>
  artifact.includes("To be done")
    ? {
        verdict: "rejected",
        reason: "The alternatives are not compared.",
        fix_instructions: "Compare at least one alternative.",
      }
    : { verdict: "approved", reason: "One decision, with its price." };

const changes = watchChanges(pool, { topic: "work" });
const leaving = new AbortController();
process.on("SIGTERM", () => leaving.abort());
const pipeline = createPipeline({
  store,
  contracts,
  judge,
  // Items and messages that a dead worker had taken are free again after this long.
  leaseMs: 2000,
  // A line of the log is written when the decision is: a worker that dies in its tick reports it, too.
  log: ({ event, identifier, claim_id: claim }) => {
    if (claim === null) return;
    if (event === "claim_advanced") tell({ did: "advanced", item: identifier, claim });
    if (event === "claim_rejected") tell({ did: "rejected", item: identifier, claim });
  },
  deliver: ({ id, itemId, name }) => tell({ did: "delivered", item: itemId, hook: id, name }),
  createChangeRequest: ({ id }) => Promise.resolve({ id: `change-for-${id}` }),
});
while (!leaving.signal.aborted) {
  const { failed } = await pipeline.tick();
  for (const { item, error } of failed) process.stderr.write(`${item}: ${String(error)}\n`);
  // A new claim wakes it; now and then it looks by itself, for waits and deliveries that ran out.
  await changes.wait(500, { signal: leaving.signal });
}
changes.close();
await pool.end();
