export { applyTurn, type TurnOptions } from "./apply-turn.ts";
export { sealDanglingToolCalls } from "./dangling-calls.ts";
export { type ChatToolMessage, executeTools, type ResponsesToolOutput } from "./execute-tools.ts";
export { type ChatTool, type ResponsesTool, toChatTools, toResponsesTools } from "./plain-tools.ts";
export { recordFailure, recordResponse } from "./record-response.ts";
export { watchStream, type WatchOptions } from "./watch-stream.ts";
export { type PhaseOptions, type RequestContext, withPhases } from "./with-phases.ts";
export type { ExecuteOptions, ToolHandlers } from "@phasekit/core/adapter";
