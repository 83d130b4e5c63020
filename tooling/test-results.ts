import { existsSync, globSync, readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { root } from "./workspace.ts";

interface VitestResults {
  readonly startTime: number;
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly testResults: readonly {
    readonly status: string;
    readonly endTime: number;
    readonly assertionResults: readonly unknown[];
  }[];
}

/** The result of one package's tests, as vitest wrote it to `.results/tests.json`. */
export interface TestResults {
  /** The folder below `packages`. */
  readonly name: string;
  readonly passed: number;
  readonly failed: number;
  readonly files: number;
  readonly seconds: number;
  /** When the file was written, in milliseconds since 1970. */
  readonly writtenAt: number;
}

/** Reads the results of every package that has any, in a stable order. */
export function readTestResults(): readonly TestResults[] {
  return globSync("packages/{*,adapters/*}/.results/tests.json", { cwd: root })
    .map((path) => path.replaceAll("\\", "/"))
    .sort()
    .flatMap((path) => {
      const results = parse(join(root, path));
      if (results === undefined) return [];
      const { startTime, numPassedTests, numFailedTests, testResults } = results;
      // A file that does not even load has no tests to fail.
      const broken = testResults.filter((file) => file.status === "failed" && file.assertionResults.length === 0);
      return {
        name: relative("packages", join(path, "../..")).replaceAll("\\", "/"),
        passed: numPassedTests,
        failed: numFailedTests + broken.length,
        files: testResults.length,
        seconds: Math.max(0, ...testResults.map(({ endTime }) => endTime - startTime)) / 1000,
        writtenAt: statSync(join(root, path)).mtimeMs,
      };
    });
}

/** One line for people. */
export function renderTestResults({ name, passed, failed, files, seconds }: TestResults): string {
  return `${name}: ${String(passed)} passed, ${String(failed)} failed (${String(files)} files, ${seconds.toFixed(1)} s)`;
}

/** A file that is being written is read again later. */
function parse(path: string): VitestResults | undefined {
  if (!existsSync(path)) return undefined;
  try {
    return JSON.parse(readFileSync(path, "utf8")) as VitestResults;
  } catch {
    return undefined;
  }
}
