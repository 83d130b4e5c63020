import { loadMastra } from "./load-mastra.ts";

await loadMastra(
  () => import("./mastra-traps.ts"),
  ({ describeTraps }) => describeTraps(),
);
