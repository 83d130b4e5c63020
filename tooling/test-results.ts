import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./workspace.ts";

/** The result of one list of tests, as vitest wrote it to `.results/<list>.json`. */
export interface TestResults {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** Reads the results of a list; undefined if it did not run to its end. */
export function readTestResults(list: string): TestResults | undefined {
  const path = join(root, ".results", `${list}.json`);
  if (!existsSync(path)) return undefined;
  const results = JSON.parse(readFileSync(path, "utf8")) as {
    readonly success: boolean;
    readonly numPassedTests: number;
    readonly numFailedTests: number;
    readonly numTotalTests: number;
    readonly testResults: readonly { readonly status: string; readonly assertionResults: readonly unknown[] }[];
  };
  // A file that does not even load has no tests to fail.
  const broken = results.testResults.filter((file) => file.status === "failed" && file.assertionResults.length === 0);
  const { numPassedTests: passed, numTotalTests } = results;
  const counted = results.numFailedTests + broken.length;
  // An error outside of a test fails none of them.
  const failed = counted === 0 && !results.success ? 1 : counted;
  return { passed, failed, skipped: numTotalTests - passed - results.numFailedTests };
}
