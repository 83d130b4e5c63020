import { describe, it } from "vitest";
import { describeAdapter } from "@phasekit/core/testing";
import { anthropicHarness, type Style } from "./anthropic-harness.ts";

for (const style of ["wrapped", "explicit", "runner", "unthreaded runner"] satisfies Style[])
  describeAdapter(anthropicHarness(style), { describe, it });
