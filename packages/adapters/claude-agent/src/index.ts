export type { PhaseOptions } from "./agent-session.ts";
export type { SubAgent } from "./sub-agents.ts";
export { queryFinished } from "./watch-messages.ts";
export { type QueryContext, withPhases } from "./with-phases.ts";
