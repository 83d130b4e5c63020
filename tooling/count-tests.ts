import { readTestResults, renderTestResults } from "./test-results.ts";

/**
 * Sums the test results of all packages and ends with "N passed, N failed" for .ci/run. Its arguments are the commands
 * that failed; a failed command without a failed test counts as one failure.
 */
const failedCommands = new Set(process.argv.slice(2));
let passed = 0;
let failed = 0;
for (const results of readTestResults()) {
  console.log(renderTestResults(results));
  passed += results.passed;
  failed += results.failed;
}
if (failed > 0) failedCommands.delete("test");
console.log(`\n${String(passed)} passed, ${String(failed + failedCommands.size)} failed`);
