// Agents inside DBOS, on a real PostgreSQL: workers are killed with SIGKILL, in the middle of a phase and while a run
// waits for a person. The next worker continues each run, and its log is the same, byte for byte.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DBOSClient } from "@dbos-inc/dbos-sdk";
import { drill } from "@phasekit/example-durable-agent/drill";
import { readRun } from "@phasekit/ledger";
import { createPostgresRunStore, migrate } from "@phasekit/postgres";
import { startPostgres } from "@phasekit/tooling/postgres-server";
import { Pool } from "pg";

const folder = mkdtempSync(join(tmpdir(), "phasekit-example-"));
const database = await startPostgres({ fsync: false });
const pool = new Pool({ connectionString: database.url, max: 4 });
const client = await DBOSClient.create({ systemDatabaseUrl: database.url, applicationName: "agents" });
try {
  await migrate(pool);
  const store = createPostgresRunStore(pool, { notifications: false });
  const report = await drill(
    {
      folder,
      worker: [join(import.meta.dirname, "worker.ts"), database.url],
      start: async (ids) => {
        for (const id of ids) await client.enqueue({ workflowName: "agent", queueName: "agents", workflowID: id }, id);
      },
      answer: ({ id, address }, verdict) => client.send(id, verdict, address),
      // DBOS does not try a workflow again that threw.
      retry: async (id) => void (await client.resumeWorkflow(id)),
      read: (id) => readRun(store, id),
      why: (id) => [id, "--db", database.url],
    },
    { long: process.argv.includes("long") },
  );
  console.log(report);
} finally {
  await client.destroy();
  await pool.end();
  await database.stop();
  rmSync(folder, { recursive: true, force: true });
}
