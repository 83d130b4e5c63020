// A pipeline that the provider refuses in its second phase: the run is kept in a folder, resumed where it stopped, and
// archived with its sidecars.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipelinePhases, trackRun } from "@phasekit/core";
import { createLedger } from "@phasekit/ledger/node";
import { callModel } from "./model.ts";

const folder = mkdtempSync(join(tmpdir(), "phasekit-example-"));
try {
  const ledger = createLedger({ folder, graph: pipelinePhases });
  const run = ledger.start({ task: { text: "A todo backend" } });
  run.transition("database");
  await trackRun(run, () => callModel(run)).catch(() => undefined);
  const again = await ledger.resume(run.id);
  await trackRun(again, () => callModel(again));
  const { summary } = await ledger.archive(run.id);
  const { sidecars, problems } = ledger.readArchive(run.id);
  await ledger.close();

  for (const { entry, attempt, success, reason, resumability } of summary.phases)
    console.log(
      `${entry}, attempt ${String(attempt)}: ${success ? "ok" : String(reason)}` +
        (resumability === undefined ? "" : `, after ${String(resumability.reason)}`),
    );
  console.log(`Sidecars: ${[...sidecars.keys()].sort().join(", ")}`);
  assert.deepEqual(
    [run.outcome?.reason, summary.attempt, summary.state, summary.phase],
    ["rate_limit", 2, "success", "database"],
  );
  assert.deepEqual([...sidecars.keys()].sort(), ["database.checkpoint.json.gz", "database.error.json.gz"]);
  assert.deepEqual(problems, []);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
