export { phaseTelemetry, type PhaseTelemetry } from "./phase-telemetry.ts";
export { type AiTool, toAiTools } from "./plain-tools.ts";
export { type LoopResult, type LoopStart, runUntilVerified } from "./run-until-verified.ts";
export { sealDanglingToolCalls } from "./seal-dangling-tool-calls.ts";
export { withPhases } from "./with-phases.ts";
export type { CallContext, PhaseOptions, Steering } from "./wrap-options.ts";
