export { applyTurn, type TurnOptions } from "./apply-turn.ts";
export { sealDanglingToolCalls } from "./dangling-calls.ts";
export { type ChatToolMessage, type ExecuteOptions, executeTools, type ResponsesToolOutput, type ToolHandlers } from "./execute-tools.ts";
export { phased, type PhasedOptions, type RequestContext } from "./phased.ts";
export { type ChatTool, plainToolHandlers, type ResponsesTool, toChatTools, toResponsesTools } from "./plain-tools.ts";
export { recordFailure, recordResponse } from "./record-response.ts";
export { watchStream, type WatchOptions } from "./watch-stream.ts";
