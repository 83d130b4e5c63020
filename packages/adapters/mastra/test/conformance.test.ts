import { describe, it } from "vitest";
import { describeAdapter } from "@phasekit/core/testing";
import { loadMastra } from "./load-mastra.ts";

await loadMastra(
  () => import("./mastra-harness.ts"),
  ({ mastraHarness }) => describeAdapter(mastraHarness(), { describe, it }),
);
