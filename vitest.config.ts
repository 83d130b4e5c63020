import { defineConfig } from "vitest/config";
import { SOURCE_CONDITION, SOURCE_FLAG } from "./tooling/source-condition.ts";

/** What Vite has by default for code that runs in Node, after our own. */
const conditions = [SOURCE_CONDITION, "module", "node", "development|production"];

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
    env: { NODE_OPTIONS: SOURCE_FLAG, NODE_COMPILE_CACHE: `${import.meta.dirname}/node_modules/.cache/phasekit/compiled` },
    // Tests say what, never how fast; a busy machine must not fail them.
    // The limit ends a test that hangs, and a machine with ten times its load is far below it.
    testTimeout: 1_200_000,
    hookTimeout: 1_200_000,
    globalSetup: ["tooling/temp-folder.ts"],
    reporters: ["minimal", "json"],
    outputFile: { json: ".results/tests.json" },
    projects: [
      {
        extends: true,
        test: {
          name: "packages",
          include: ["packages/**/*.test.ts", "tooling/**/*.test.ts", "bench/**/*.test.ts"],
          exclude: ["**/node_modules/**", "**/dist/**", "packages/postgres/**"],
        },
      },
      {
        extends: true,
        test: {
          name: "postgres",
          include: ["packages/postgres/**/*.test.ts"],
          globalSetup: ["tooling/temp-folder.ts", "packages/postgres/src/__fixtures__/start-server.ts"],
        },
      },
    ],
  },
});
