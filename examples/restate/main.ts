// Agents inside Restate, with its real server: workers are killed with SIGKILL, in the middle of a phase and while a
// run waits for a person. The server calls the next worker, and the log of each run is the same, byte for byte.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { drill } from "@phasekit/example-durable-agent/drill";
import { readRun } from "@phasekit/ledger";
import { createFileStore } from "@phasekit/ledger/node";
import { freePort, post, startRestate } from "./server.ts";

const folder = mkdtempSync(join(tmpdir(), "phasekit-example-"));
const server = await startRestate(folder);
if ("unavailable" in server) {
  console.log(`Skipped: the Restate server does not start on this machine.\n${server.unavailable}`);
  process.exit(0);
}
try {
  const runs = join(folder, "runs");
  const port = await freePort();
  let registered: Promise<void> | undefined;
  const report = await drill(
    {
      folder,
      worker: [join(import.meta.dirname, "worker.ts"), runs, String(port)],
      start: async (ids) => {
        await (registered ??= server.register(port));
        for (const id of ids) await post(`${server.ingress}/agent/${id}/run/send`);
      },
      answer: async ({ address }, verdict) => {
        await post(`${server.ingress}/restate/awakeables/${address}/resolve`, verdict);
      },
      // Restate tries by itself.
      retry: () => Promise.resolve(),
      read: (id) => readRun(createFileStore(runs), id),
      why: (id) => [join(runs, id)],
    },
    { long: process.argv.includes("long") },
  );
  console.log(report);
} finally {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}
