import { describeCodingRuns, describeIncident } from "@phasekit/tooling/adapter-suite";
import { anthropicHarness, type Style } from "./anthropic-harness.ts";

/** The default coding run, through every entry of the adapter. */
for (const style of ["wrapped", "explicit", "runner", "unthreaded runner"] satisfies Style[]) {
  describeCodingRuns(anthropicHarness(style));
  describeIncident(anthropicHarness(style));
}
