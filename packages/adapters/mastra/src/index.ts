export type { CallContext, PhaseOptions } from "./invocation.ts";
export { phaseStep, type StepLike } from "./phase-step.ts";
export { type MastraToolOptions, toMastraTools } from "./plain-tools.ts";
export { type AgentLike, withPhases } from "./with-phases.ts";
