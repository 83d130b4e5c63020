import { buildProgram } from "@phasekit/tooling/built-program";
import { exitInterrupted, runWithProgress } from "@phasekit/tooling/run-with-progress";
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { promisify } from "node:util";
import { writeLongLog } from "../../packages/cli/src/__fixtures__/write-long-log.ts";

// `pnpm -C bench long-log [MB]`: `phasekit why` on one log, 400 MB by default, and the memory it takes.

const { file: BIN } = buildProgram();
/** Prints the most memory the process had, when it ends. */
const REPORT = `data:text/javascript,${encodeURIComponent('process.on("exit", () => { const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage(); process.stderr.write(`\\n${String(Math.round(maxRSS / 1024))} ${String((userCPUTime + systemCPUTime) / 1e6)}`); });')}`;
const execute = promisify(execFile);

const megabytes = Number(process.argv[2] ?? "400");
const sizes = [megabytes / 10, megabytes];
const folder = mkdtempSync(join(tmpdir(), "phasekit-long-log-"));
const isInterrupted = await runWithProgress({ total: sizes.length, unit: "logs" }, async (progress, signal) => {
  try {
    for (const [index, size] of sizes.entries()) {
      progress.now(`write ${String(size)} MB`);
      await progress.pause(index, sizes.length);
      const path = join(folder, "long.jsonl");
      const bytes = writeLongLog(path, size * 1_000_000);
      progress.now(`why on ${String(size)} MB`);
      progress.print(await explainLog(path, { bytes, signal }));
      progress.count();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
if (isInterrupted) exitInterrupted();

/** Runs `phasekit why` on a log; returns its time and memory as a line. */
async function explainLog(
  path: string,
  { bytes, signal }: { readonly bytes: number; readonly signal: AbortSignal },
): Promise<string> {
  const { stderr, stdout } = await execute(
    process.execPath,
    ["--import", REPORT, BIN, "why", path, "--no-cache", "--json"],
    { env: { HOME: folder }, maxBuffer: 256 * 1024 * 1024, signal },
  );
  const [peak = "?", seconds = "?"] = (stderr.trim().split("\n").at(-1) ?? "").split(" ");
  const { story } = JSON.parse(stdout) as { readonly story: { readonly calls: number } };
  return `${(bytes / 1e6).toFixed(0)} MB, ${String(story.calls)} calls: ${peak} MB of memory at most, ${Number(seconds).toFixed(1)} s of processor time`;
}
