import { describe, it } from "vitest";
import { describeAdapter } from "@phasekit/core/testing";
import { claudeHarness } from "./claude-harness.ts";

describeAdapter(claudeHarness({ partial: true }), { describe, it });
