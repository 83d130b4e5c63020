export { applyTurn, type TurnOptions } from "./apply-turn.ts";
export { sealDanglingToolCalls } from "./dangling-calls.ts";
export {
  type ChatToolMessage,
  type ExecuteOptions,
  executeTools,
  type ResponsesToolOutput,
  type ToolHandlers,
} from "./execute-tools.ts";
export { type ChatTool, plainToolHandlers, type ResponsesTool, toChatTools, toResponsesTools } from "./plain-tools.ts";
export { recordFailure, recordResponse } from "./record-response.ts";
export { watchStream, type WatchOptions } from "./watch-stream.ts";
export { type PhaseOptions, type RequestContext, withPhases } from "./with-phases.ts";
