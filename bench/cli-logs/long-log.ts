import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { writeLongLog } from "../../packages/cli/src/__fixtures__/write-long-log.ts";

// `pnpm -C bench long-log [MB]`: `phasekit why` on one log, 400 MB by default, and the memory it takes.

const BIN = join(dirname(fileURLToPath(import.meta.resolve("phasekit"))), "bin.js");
/** Prints the most memory the process had, when it ends. */
const REPORT = `data:text/javascript,${encodeURIComponent('process.on("exit", () => { const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage(); process.stderr.write(`\\n${String(Math.round(maxRSS / 1024))} ${String((userCPUTime + systemCPUTime) / 1e6)}`); });')}`;

const megabytes = Number(process.argv[2] ?? "400");
const folder = mkdtempSync(join(tmpdir(), "phasekit-long-log-"));
try {
  for (const size of [megabytes / 10, megabytes]) {
    const path = join(folder, "long.jsonl");
    const bytes = writeLongLog(path, size * 1_000_000);
    const { stderr, status, stdout } = spawnSync(
      process.execPath,
      ["--import", REPORT, BIN, "why", path, "--no-cache", "--json"],
      { encoding: "utf8", env: { HOME: folder } },
    );
    if (status !== 0) throw new Error(stderr);
    const [peak = "?", seconds = "?"] = (stderr.trim().split("\n").at(-1) ?? "").split(" ");
    const { story } = JSON.parse(stdout) as { readonly story: { readonly calls: number } };
    console.log(
      `${(bytes / 1e6).toFixed(0)} MB, ${String(story.calls)} calls: ${peak} MB of memory at most, ${Number(seconds).toFixed(1)} s of processor time`,
    );
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
