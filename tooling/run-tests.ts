import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { setInterval } from "node:timers/promises";
import { readTestResults, renderTestResults, type TestResults } from "./test-results.ts";
import { root } from "./workspace.ts";

/**
 * Builds, type-checks and tests every package and runs every example. Prints one line per package as its tests end; a
 * task that fails is shown in full. Arguments go to turbo: `node tooling/run-tests.ts --filter=@phasekit/core`.
 */
const startedAt = Date.now();
const printed = new Set<string>();
const ended = new AbortController();
const watching = watch();
const code = await runTurbo();
ended.abort();
await watching;
report(readTestResults().filter(({ writtenAt }) => writtenAt >= startedAt));
// With a filter, results of other packages are older than this run.
const all = readTestResults().filter(({ name }) => printed.has(name) || process.argv.length === 2);
const cached = all.filter(({ name }) => !printed.has(name)).map(({ name, passed }) => `${name} ${String(passed)}`);
if (cached.length > 0) console.log(`unchanged since an earlier run: ${cached.join(", ")}`);
const sum = (count: (results: TestResults) => number): string =>
  String(all.reduce((total, one) => total + count(one), 0));
console.log(`${sum(({ passed }) => passed)} tests passed, ${sum(({ failed }) => failed)} failed`);
process.exitCode = code;

/** Prints the results of packages as they appear. */
async function watch(): Promise<void> {
  try {
    for await (const _ of setInterval(500, undefined, { signal: ended.signal }))
      report(readTestResults().filter(({ writtenAt }) => writtenAt >= startedAt));
  } catch (error) {
    if (!ended.signal.aborted) throw error;
  }
}

function report(results: readonly TestResults[]): void {
  for (const each of results) {
    if (printed.has(each.name)) continue;
    printed.add(each.name);
    console.log(renderTestResults(each));
  }
}

function runTurbo(): Promise<number> {
  const tasks =
    "build typecheck test demo --continue=dependencies-successful --output-logs=errors-only --concurrency=200%";
  return new Promise((resolve) => {
    // A shell, because on Windows the tool is a .cmd file.
    const child = spawn(`turbo run ${tasks} ${process.argv.slice(2).join(" ")}`, {
      cwd: root,
      shell: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    for (const stream of [child.stdout, child.stderr])
      createInterface({ input: stream }).on("line", (line) => {
        // turbo begins with a list of all packages.
        if (!/^\s*(?:•.*)?$/.test(line)) console.log(line);
      });
    child.on("close", (exitCode) => resolve(exitCode ?? 1));
  });
}
