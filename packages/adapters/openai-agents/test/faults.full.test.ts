import { describeFaults } from "@phasekit/tooling/adapter-suite";
import { agentsHarness } from "./agents-harness.ts";
import { latest } from "./versions.ts";

describeFaults(agentsHarness(latest, "responses"));
