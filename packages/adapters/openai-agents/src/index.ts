export type { CallContext, PhaseOptions } from "./invocation.ts";
export { type AgentToolOptions, toAgentTools } from "./plain-tools.ts";
export { runUntilVerified } from "./run-until-verified.ts";
export { reportToolError } from "./tool-failures.ts";
export { type RunnerLike, withPhases } from "./with-phases.ts";
