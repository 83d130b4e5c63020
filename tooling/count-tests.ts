import { readTestResults } from "./test-results.ts";

/**
 * Sums the results of the lists that .ci/run ran and ends with "N passed, N failed". Its arguments are the commands
 * that failed; a failed command without a failed test counts as one failure.
 */
const failedCommands = new Set(process.argv.slice(2));
let passed = 0;
let failed = 0;
for (const list of ["quick", "full"]) {
  const results = readTestResults(list);
  if (results === undefined) {
    failedCommands.add(list);
    continue;
  }
  console.log(
    `${list}: ${String(results.passed)} passed, ${String(results.failed)} failed, ${String(results.skipped)} skipped`,
  );
  passed += results.passed;
  failed += results.failed;
}
console.log(`\n${String(passed)} passed, ${String(failed === 0 ? failedCommands.size : failed)} failed`);
