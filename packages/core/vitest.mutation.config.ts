import { SOURCE_CONDITION } from "@phasekit/tooling/source-condition";
import { defineConfig } from "vitest/config";

/** The tests beside the sources, for Stryker: it works on a copy of this package, without the workspace's own config. */
export default defineConfig({
  ssr: { resolve: { conditions: [SOURCE_CONDITION, "node", "development|production"] } },
  test: { include: ["src/**/*.test.ts"], exclude: ["src/**/*.full.test.ts"] },
});
