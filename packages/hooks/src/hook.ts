export { type AgentName, agentNames, isAgentName } from "./hook-event.ts";
export { hookMain, type HookMainOptions } from "./node/hook-main.ts";
export { hookPaths, type HookPaths } from "./node/hook-paths.ts";
export { serverFile } from "./node/server-file.ts";
