import { describeFaults } from "@phasekit/tooling/adapter-suite";
import { anthropicHarness } from "./anthropic-harness.ts";

describeFaults(anthropicHarness("wrapped"));
describeFaults(anthropicHarness("runner"));
