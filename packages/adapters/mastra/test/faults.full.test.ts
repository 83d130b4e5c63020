import { describeFaults } from "@phasekit/tooling/adapter-suite";
import { loadMastra } from "./load-mastra.ts";

await loadMastra(
  () => import("./mastra-harness.ts"),
  ({ mastraHarness }) => describeFaults(mastraHarness()),
);
