import { describeCodingRuns, describeIncident } from "@phasekit/tooling/adapter-suite";
import { majors } from "./majors.ts";
import { openAiHarness } from "./openai-harness.ts";

/** The default coding run, through every entry of the adapter. */
for (const major of majors) {
  for (const api of ["chat", "responses"] as const) {
    for (const style of ["wrapped", "explicit"] as const) {
      describeCodingRuns(openAiHarness(major, { api, style }));
      describeIncident(openAiHarness(major, { api, style }));
    }
  }
}
