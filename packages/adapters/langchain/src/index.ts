export { type Invocation } from "./invocation.ts";
export { type ObservedRoot, phaseCallbacks } from "./phase-callbacks.ts";
export { phaseMiddleware } from "./phase-middleware.ts";
export { type MessagesState, type ModelNode, phaseNode } from "./phase-node.ts";
export { phaseTools } from "./phase-tools.ts";
export { toLangChainTools } from "./plain-tools.ts";
export { sealDanglingToolCalls } from "./seal-dangling-tool-calls.ts";
export { type PhaseOptions, type PhaseTurn } from "./take-turns.ts";
