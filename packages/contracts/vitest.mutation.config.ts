import { SOURCE_CONDITION } from "@phasekit/tooling/source-condition";
import { defineConfig } from "vitest/config";

/** The tests of decisions, for Stryker: it works on a copy of this package, without the workspace's own config. */
export default defineConfig({
  ssr: { resolve: { conditions: [SOURCE_CONDITION, "node", "development|production"] } },
  test: { include: ["src/{claims,items,reviews}/*.test.ts", "src/pipeline.test.ts"] },
});
