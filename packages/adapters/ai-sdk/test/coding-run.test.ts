import { describeCodingRuns, describeIncident } from "@phasekit/tooling/adapter-suite";
import { aiSdkHarness } from "./ai-sdk-harness.ts";
import { majors } from "./majors.ts";

/** The default coding run, through every entry of the adapter. */
for (const major of majors) {
  for (const style of ["function", "agent"] as const) {
    describeCodingRuns(aiSdkHarness(major, style));
    describeIncident(aiSdkHarness(major, style));
  }
}
