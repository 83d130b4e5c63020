export { applyTurn, type TurnOptions } from "./apply-turn.ts";
export { sealDanglingToolCalls } from "./dangling-calls.ts";
export { executeTools, type ToolResultBlock } from "./execute-tools.ts";
export { type AnthropicTool, type RunnableTool, toAnthropicTools, toRunnableTools } from "./plain-tools.ts";
export { recordFailure, recordResponse } from "./record-response.ts";
export { watchStream, type WatchOptions } from "./watch-stream.ts";
export { type PhaseOptions, type RequestContext, withPhases } from "./with-phases.ts";
export type { ExecuteOptions, ToolHandlers } from "@phasekit/core/adapter";
