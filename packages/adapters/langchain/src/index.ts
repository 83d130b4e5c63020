export type { Invocation } from "./invocation.ts";
export { type ObservedRoot, phaseCallbacks } from "./phase-callbacks.ts";
export { phaseMiddleware } from "./phase-middleware.ts";
export { phaseTools } from "./phase-tools.ts";
export { toLangChainTools } from "./plain-tools.ts";
export { sealDanglingToolCalls } from "./seal-dangling-tool-calls.ts";
export type { PhaseOptions, PhaseTurn } from "./take-turns.ts";
export { withPhases } from "./with-phases.ts";
export type { MessagesState, ModelNode, WrappedNode } from "./wrap-node.ts";
