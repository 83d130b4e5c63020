import { SOURCE_CONDITION } from "@phasekit/tooling/source-condition";
import { defineConfig } from "vitest/config";

/** The tests of reviews, for Stryker: it works on a copy of this package, without the config of the workspace. */
export default defineConfig({
  ssr: { resolve: { conditions: [SOURCE_CONDITION, "node", "development|production"] } },
  test: { include: ["src/review/*.test.ts", "test/seed-*.test.ts"] },
});
