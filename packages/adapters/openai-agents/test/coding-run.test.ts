import { describeCodingRuns, describeIncident } from "@phasekit/tooling/adapter-suite";
import { agentsHarness } from "./agents-harness.ts";
import { versions } from "./versions.ts";

/** The default coding run, with every version. */
for (const version of versions) {
  describeCodingRuns(agentsHarness(version, "responses"));
  describeIncident(agentsHarness(version, "responses"));
}
