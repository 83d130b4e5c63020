import { fileURLToPath } from "node:url";
import { defineConfig, type ViteUserConfig } from "vitest/config";

export interface PackageTestsOptions {
  /** Share of branches, in percent, that `pnpm coverage` insists on. */
  readonly branches?: number;
  /** Files that start what all tests need, such as a database. */
  readonly globalSetup?: readonly string[];
  /** Plugins for vite, where sources import something that is made when the package is built. */
  readonly plugins?: NonNullable<ViteUserConfig["plugins"]>;
}

/** The tests of one package: those beside the sources, and those of the built package in `test`. */
export function packageTests({ branches, globalSetup = [], plugins = [] }: PackageTestsOptions = {}): ReturnType<
  typeof defineConfig
> {
  return defineConfig({
    plugins,
    test: {
      include: ["src/**/*.test.ts", "test/**/*.test.ts"],
      // The default, but written down: vitest then stops advising against it at the end of every run.
      isolate: true,
      // Tests say what, never how fast; a busy machine must not fail them.
      // The limit ends a test that hangs, and a machine with ten times its load is far below it.
      testTimeout: 1_200_000,
      hookTimeout: 1_200_000,
      globalSetup: [fileURLToPath(new URL("./temp-folder.ts", import.meta.url)), ...globalSetup],
      // Failures only when turbo runs the tests of all packages. The JSON is what .ci/run counts.
      reporters: [process.env["TURBO_HASH"] === undefined ? "default" : "minimal", "json"],
      outputFile: { json: ".results/tests.json" },
      coverage: {
        provider: "v8",
        include: ["src/**/*.ts"],
        exclude: ["src/**/*.test.ts", "src/**/*.test-d.ts", "src/**/__fixtures__/**"],
        reporter: ["text", "json-summary"],
        ...(branches === undefined ? {} : { thresholds: { branches } }),
      },
    },
  });
}
