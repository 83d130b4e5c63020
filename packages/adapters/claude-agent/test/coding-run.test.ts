import { describeCodingRuns, describeFaults, describeIncident } from "@phasekit/tooling/adapter-suite";
import { claudeHarness } from "./claude-harness.ts";

/** The default coding run, and the faults that an agent must not notice. */
describeCodingRuns(claudeHarness({ partial: true }));
describeIncident(claudeHarness({ partial: true }));
describeFaults(claudeHarness({ partial: true }));
