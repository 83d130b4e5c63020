import { globSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { root } from "./workspace.ts";

interface VitestResults {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly testResults: readonly { readonly status: string; readonly assertionResults: readonly unknown[] }[];
}

/**
 * Sums the results every package's tests left behind and ends with "N passed, N failed" for .ci/run. Its arguments
 * are the commands that failed; each one that no failed test explains counts as a failure of its own.
 */
const failedCommands = new Set(process.argv.slice(2));
let passed = 0;
let failed = 0;
for (const path of globSync("packages/{*,adapters/*}/.results/tests.json", { cwd: root }).sort()) {
  const results = JSON.parse(readFileSync(join(root, path), "utf8")) as VitestResults;
  // A file that does not even load has no tests to fail.
  const broken = results.testResults.filter((file) => file.status === "failed" && file.assertionResults.length === 0);
  const packageFailed = results.numFailedTests + broken.length;
  const name = relative("packages", join(path, "../.."));
  const files = results.testResults.length;
  console.log(`${name}: ${results.numPassedTests} passed, ${packageFailed} failed (files: ${files})`);
  passed += results.numPassedTests;
  failed += packageFailed;
}
if (failed > 0) failedCommands.delete("test");
console.log(`\n${passed} passed, ${failed + failedCommands.size} failed`);
