// An agent is killed in the middle of its work. Its log shows it, the run is resumed, the provider fails, and the
// ledger says why it stopped and what it cost.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { trackRun } from "@phasekit/core";
import { classifyFailure, readRun, resumeRun, summarizeRun } from "@phasekit/ledger";
import { explainRun } from "@phasekit/ledger/story";
import { createFileStore } from "@phasekit/ledger/node";
import { options } from "./agent.ts";

const folder = mkdtempSync(join(tmpdir(), "phasekit-example-"));
try {
  // The first attempt: another process, killed without a warning once it has worked a little.
  const child = spawn(process.execPath, [`${import.meta.dirname}/agent.ts`, folder], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await new Promise((resolve) => child.stdout.once("data", resolve));
  child.kill("SIGKILL");
  await new Promise((resolve) => child.once("close", resolve));

  const store = createFileStore(folder);
  const [crashed] = await store.list();
  assert.equal(crashed?.state, "interrupted");
  console.log(`After kill -9:\n${explainRun(await readRun(store, crashed.run))}\n`);

  // The second attempt continues where the log ends, until the provider refuses.
  const { run, stored } = await resumeRun(store, crashed.run, { ...options, why: "the process was killed" });
  const failure = Object.assign(new Error("Key limit exceeded (weekly limit)"), { status: 403 });
  await trackRun(
    run,
    () => {
      run.transition("acting", { by: "agent" });
      run.beforeTurn();
      throw failure;
    },
    { classify: (error) => classifyFailure(error).reason },
  ).catch(() => undefined);
  await stored.close();

  const events = await readRun(store, run.id);
  const summary = summarizeRun(events);
  console.log(`After the resumed attempt:\n${explainRun(events)}`);
  assert.deepEqual([summary.attempt, summary.state, summary.reason], [2, "failed", "rate_limit"]);
  assert.equal(summary.phases.at(-1)?.countsAgainstModel, false);
  assert.equal(summary.phases[1]?.resumability?.available, true);
  assert.equal((await store.inspect(run.id)).integrity, "whole");
} finally {
  rmSync(folder, { recursive: true, force: true });
}
