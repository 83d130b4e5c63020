import { SOURCE_CONDITION } from "@phasekit/tooling/source-condition";
import { defineConfig } from "vitest/config";

/** The tests of saturation, for Stryker: it works on a copy of this package, without the config of the workspace. */
export default defineConfig({
  ssr: { resolve: { conditions: [SOURCE_CONDITION, "node", "development|production"] } },
  test: { include: ["src/{saturation,phase-budget,tracker-state}.test.ts", "test/seed-cases.test.ts"] },
});
