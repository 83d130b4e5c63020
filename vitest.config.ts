import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { packageReporter } from "./tooling/package-reporter.ts";
import { SOURCE_CONDITION, SOURCE_FLAG } from "./tooling/source-condition.ts";
import { type TestList, testList } from "./tooling/test-depth.ts";

/** The files of each list; tooling/test-depth.ts says what the names mean. */
const files: Readonly<Record<TestList, { readonly include: readonly string[]; readonly exclude: readonly string[] }>> =
  {
    quick: { include: ["*.test.ts"], exclude: ["*.full.test.ts"] },
    full: { include: ["*.full.test.ts", "*.deep.test.ts"], exclude: [] },
    long: { include: ["*.deep.test.ts", "chaos.full.test.ts"], exclude: [] },
  };

const conditions = [SOURCE_CONDITION, "node", "development|production"];
const inFolders = (folders: readonly string[], names: readonly string[]): string[] =>
  folders.flatMap((folder) => names.map((name) => `${folder}/**/${name}`));
const { include, exclude } = files[testList];
const leftOut = ["**/node_modules/**", "**/dist/**", ...inFolders(["**"], exclude)];
const isAll = process.env["PHASEKIT_TEST_RUN"] !== undefined;

/** One process pool for the tests of all packages, which import each other's sources. */
export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    // Not threads: some tests set the umask of their process.
    pool: "forks",
    // Modules are loaded once per process instead of once per file.
    isolate: false,
    maxWorkers: "100%",
    execArgv: [SOURCE_FLAG],
    // For the processes that tests start. Node keeps the compiled sources, which are many, by their content.
    env: {
      NODE_OPTIONS: SOURCE_FLAG,
      NODE_COMPILE_CACHE: join(import.meta.dirname, "node_modules/.cache/phasekit/compiled"),
    },
    // Tests say what, never how fast; a busy machine must not fail them.
    // The limit ends a test that hangs, and a machine with ten times its load is far below it.
    testTimeout: 1_200_000,
    hookTimeout: 1_200_000,
    globalSetup: ["tooling/temp-folder.ts"],
    // tooling/test.ts runs all of a list, and counts what the JSON says.
    reporters: isAll ? ["minimal", packageReporter(), "json"] : ["default"],
    outputFile: { json: `.results/${testList}.json` },
    coverage: {
      provider: "v8",
      include: ["packages/**/src/**/*.ts"],
      exclude: ["**/*.test.ts", "**/*.test-d.ts", "**/__fixtures__/**"],
      reporter: ["text-summary", "json-summary"],
      thresholds: { "packages/core/src/**": { branches: 95 } },
    },
    projects: [
      {
        extends: true,
        test: {
          name: "packages",
          include: inFolders(["packages", "tooling", "bench"], include),
          exclude: [...leftOut, "packages/postgres/**"],
        },
      },
      {
        extends: true,
        test: {
          // Starts a server.
          name: "postgres",
          include: inFolders(["packages/postgres"], include),
          exclude: leftOut,
          globalSetup: ["tooling/temp-folder.ts", "packages/postgres/src/__fixtures__/start-server.ts"],
        },
      },
    ],
  },
});
